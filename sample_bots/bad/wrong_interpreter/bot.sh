#!/opt/nowhere/python2
