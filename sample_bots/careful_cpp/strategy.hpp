#pragma once

#include <string>

#include "msgpack.hpp"

// How a careful club player answers a request: a word out of its `legal`.
std::string choose(const msgpack::Value& act);
