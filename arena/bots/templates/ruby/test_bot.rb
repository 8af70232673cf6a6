# Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

require_relative "bot"

asked = 0
File.open(File.join(__dir__, "frames.bin"), "rb") do |frames|
  while (message = receive(frames))
    next unless message["type"] == "act"

    word = choose(message)
    raise "#{message["phase"]}: #{word} is not in #{message["legal"]}" unless message["legal"].include?(word)

    asked += 1
  end
end
raise "frames.bin holds no request" if asked.zero?

puts "#{asked} requests, every answer legal"
