# A simple euchre bot in Perl (5.10 or newer, no module from elsewhere): it calls on three trumps, plays
# its highest card and discards its lowest. It prints with warn: stdout is for frames.

use strict;
use warnings;

my %SISTER = (C => 'S', S => 'C', D => 'H', H => 'D');
my $TRUMPS_TO_CALL = 3;

# The answer to one request: a word out of @{ $act->{legal} }.
sub choose {
    my ($act) = @_;
    my @legal = @{ $act->{legal} };
    if ($act->{phase} eq 'play' or $act->{phase} eq 'discard') {
        my $sign = $act->{phase} eq 'discard' ? -1 : 1;
        my ($best, $most);
        for my $word (@legal) {
            my $worth = $sign * strength(substr($word, -2), $act->{trump});
            ($best, $most) = ($word, $worth) if !defined $best or $worth > $most;
        }
        return $best;
    }
    for my $word (@legal) {
        my $suit = suit_called($word, $act->{upcard});
        next unless defined $suit;
        my $trumps = grep { strength($_, $suit) > 100 } @{ $act->{hand} };
        return $word if $trumps >= $TRUMPS_TO_CALL;
    }
    return $legal[0];
}

# The suit that a call makes trumps, undef for other words.
sub suit_called {
    my ($word, $upcard) = @_;
    return substr($upcard, 1) if $word eq 'order_up';
    return $word =~ /^name:([CDHS])$/ ? $1 : undef;
}

# How high a card stands: trumps above 100, the joker and the two bowers on top.
sub strength {
    my ($card, $trump) = @_;
    return 110 if $card eq 'JK';
    my ($rank, $suit) = split //, $card;
    $trump = '' unless defined $trump;
    return 109 if $rank eq 'J' and $suit eq $trump;
    return 108 if $rank eq 'J' and $SISTER{$suit} eq $trump;
    return ($suit eq $trump ? 101 : 1) + index('9TJQKA', $rank);
}

# --- The wire: 4 bytes of length, then one msgpack map.

my %NUMBERS = (
    0xca => ['f>', 4], 0xcb => ['d>', 8], 0xcc => ['C', 1], 0xcd => ['n', 2], 0xce => ['N', 4],
    0xcf => ['Q>', 8], 0xd0 => ['c', 1], 0xd1 => ['s>', 2], 0xd2 => ['l>', 4], 0xd3 => ['q>', 8],
);
my %TEXTS = (0xc4 => ['C', 1], 0xc5 => ['n', 2], 0xc6 => ['N', 4], 0xd9 => ['C', 1], 0xda => ['n', 2], 0xdb => ['N', 4]);
my %SIZES = (0xdc => ['n', 2], 0xdd => ['N', 4], 0xde => ['n', 2], 0xdf => ['N', 4]);

# The first value of $$data, which is taken off its front: all of msgpack but its extension types.
sub decode {
    my ($data) = @_;
    my $number = sub { my ($form, $size) = @{ $_[0] }; unpack($form, substr($$data, 0, $size, '')) };
    my $text = sub { my $bytes = substr($$data, 0, $_[0], ''); utf8::decode($bytes); $bytes };
    my $list = sub { [map { decode($data) } 1 .. $_[0]] };
    my $map = sub { my %map; for (1 .. $_[0]) { my $key = decode($data); $map{$key} = decode($data) } \%map };
    my $type = $number->(['C', 1]);
    return $type if $type < 0x80;
    return $map->($type & 15) if $type < 0x90;
    return $list->($type & 15) if $type < 0xa0;
    return $text->($type & 31) if $type < 0xc0;
    return $type - 256 if $type >= 0xe0;
    return undef if $type == 0xc0;
    return $type == 0xc3 ? 1 : 0 if $type == 0xc2 or $type == 0xc3;
    return $number->($NUMBERS{$type}) if $NUMBERS{$type};
    return $text->($number->($TEXTS{$type})) if $TEXTS{$type};
    die sprintf("msgpack type 0x%x is not read here\n", $type) unless $SIZES{$type};
    my $size = $number->($SIZES{$type});
    return $type < 0xde ? $list->($size) : $map->($size);
}

sub encode_text { my ($text) = @_; utf8::encode($text); return pack('Cn/a*', 0xda, $text) }
sub encode_number { return pack('Cq>', 0xd3, $_[0]) }

# The next message of a file, undef at its end.
sub receive {
    my ($file) = @_;
    return undef unless (read($file, my $header, 4) || 0) == 4;
    read($file, my $payload, unpack('N', $header));
    return decode(\$payload);
}

# Sends a map, given as its packed keys and values.
sub send_message {
    my ($out, @packed) = @_;
    print {$out} pack('N/a*', join '', pack('C', 0x80 | @packed / 2), @packed);
}

sub main {
    binmode STDIN;
    open my $out, '>&', \*STDOUT or die "stdout: $!";
    binmode $out;
    $out->autoflush(1);
    open STDOUT, '>&', \*STDERR or die "stderr: $!";    # nothing but frames may reach stdout
    while (my $message = receive(\*STDIN)) {
        my $type = $message->{type};
        if ($type eq 'hello') {
            send_message($out, map { encode_text($_) } qw(type ready name simple_perl version 1.0));
        } elsif ($type eq 'act') {
            my @action = (encode_text('type'), encode_text('action'), encode_text('id'), encode_number($message->{id}));
            send_message($out, @action, encode_text('action'), encode_text(choose($message)));
        } elsif ($type eq 'bye') {
            last;
        }
    }
}

use IO::Handle;
main() unless caller;

1;
