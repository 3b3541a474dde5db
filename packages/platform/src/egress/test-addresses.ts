const ipv4Targets = [
  "127.0.0.1",
  "127.1.2.3",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "203.0.113.9",
  "224.0.0.1",
  "255.255.255.255",
];

/** Returns spellings of an IPv4 address: those that the URL standard allows, and those that attackers use to get around filters. */
function spellIpv4(address: string): string[] {
  const parts = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const dword = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const shift = (text: string, zero: number) =>
    [...text].map((char) => (/\d/.test(char) ? String.fromCodePoint(zero + Number(char)) : char)).join("");
  return [
    address,
    `${address}.`,
    String(dword),
    `${dword}.`,
    hex(dword),
    hex(dword).toUpperCase(),
    octal(dword),
    `000${octal(dword)}`,
    `0x0000${dword.toString(16)}`,
    parts.map(hex).join("."),
    parts.map(octal).join("."),
    parts.map((part) => `0x000${part.toString(16)}`).join("."),
    parts.map((part) => `00000${part.toString(8)}`).join("."),
    [hex(a), octal(b), c, d].join("."),
    [a, hex(b), octal(c), hex(d)].join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${octal((b * 256 + c) * 256 + d)}`,
    `${octal(a)}.${b}.${hex(c * 256 + d)}`,
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    address.replaceAll(".", "%2e"),
    [...address].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(""),
    shift(address, 0xff10),
    shift(address, 0x1d7ce),
    shift(address, 0x1d7f6),
    encodeURIComponent(shift(address, 0xff10)),
    `%3${address[0] ?? ""}${address.slice(1)}`,
  ];
}

/** Returns IPv6 forms whose packets end up at an IPv4 address, or once did. */
function embedIpv4(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const inverted = (hex: string) => (Number.parseInt(hex, 16) ^ 0xffff).toString(16);
  return [
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${address}]`,
    `[0000:0000:0000:0000:0000:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:0:0:0:0:${high}:${low}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:4136:e378:8000:63bf:${inverted(high)}:${inverted(low)}]`,
    `[fe80::5efe:${address}]`,
    `[2606:4700::5efe:${address}]`,
    `[2606:4700::200:5efe:${address}]`,
  ];
}

const ipv6Targets = [
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::0001]",
  "[0::1]",
  "[::]",
  "[0::0]",
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[FD12:3456:789A:0:0:0:0:1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[ff05::2]",
  "[fd00:ec2::254]",
  "[FD00:EC2:0:0:0:0:0:254]",
  "[fd20:ce::254]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[100::1]",
  "[4000::1]",
];
const names = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "LocalHost",
  "ｌｏｃａｌｈｏｓｔ",
  "loc%61lhost",
  "foo.localhost",
  "metadata.google.internal",
  "127.0.0.1.nip.io",
  "localtest.me",
  "spoofed.burpcollaborator.net",
  "customer1.app.localhost.my.company.127.0.0.1.nip.io",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "xn--fake-9na",
];

const spelled = ipv4Targets.flatMap((address) => spellIpv4(address).map((host) => [host, address] as const));
const embedded = ipv4Targets.flatMap((address) => embedIpv4(address).map((host) => [host, address] as const));
/** At least 400 hosts as they may be written in a URL, none of which may be fetched; names among them resolve to what the test's own lookup says. */
export const spelledHosts = [...new Set([...spelled, ...embedded].map(([host]) => host).concat(ipv6Targets, names))];

/** The hosts of these that lead to loopback without a guard, if their names resolve to it; `[::1]` only where this machine has IPv6. */
export const reachingLoopback = [
  ...spellIpv4("127.0.0.1"),
  ...spellIpv4("0.0.0.0"),
  ...embedIpv4("127.0.0.1").slice(0, 4),
  ...names,
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::0001]",
];
