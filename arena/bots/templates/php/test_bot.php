<?php
// Asks the bot what is recorded in frames.bin, without the arena: every answer must be legal.

declare(strict_types=1);

require __DIR__ . "/bot.php";

$frames = fopen(__DIR__ . "/frames.bin", "rb");
$asked = 0;
while (($message = receive($frames)) !== null) {
    if ($message["type"] !== "act") continue;
    $word = choose($message);
    if (!in_array($word, $message["legal"], true)) {
        fwrite(STDERR, "{$message["phase"]}: $word is not in " . implode(" ", $message["legal"]) . "\n");
        exit(1);
    }
    $asked++;
}
if ($asked === 0) exit(1);
echo "$asked requests, every answer legal\n";
