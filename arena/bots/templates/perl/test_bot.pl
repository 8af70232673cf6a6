# Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

use strict;
use warnings;

require './bot.pl';

open my $frames, '<:raw', 'frames.bin' or die "frames.bin: $!";
my $asked = 0;
while (my $message = receive($frames)) {
    next unless $message->{type} eq 'act';
    my $word = choose($message);
    grep { $_ eq $word } @{ $message->{legal} } or die "$message->{phase}: $word is not in @{ $message->{legal} }\n";
    $asked++;
}
die "frames.bin holds no request\n" unless $asked;
print "$asked requests, every answer legal\n";
