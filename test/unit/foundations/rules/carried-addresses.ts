/** Every way in which an IPv6 address carries an IPv4 address. */
export const carrying = (ipv4: string): Readonly<Record<string, string>> => {
  const [a, b, c, d] = ipv4.split('.').map(part => Number(part)) as [number, number, number, number]
  const pair = (high: number, low: number): string => ((high << 8) | low).toString(16)
  const [front, back] = [pair(a, b), pair(c, d)]
  const inverted = [pair(a ^ 0xff, b ^ 0xff), pair(c ^ 0xff, d ^ 0xff)].join(':')
  return {
    'IPv4-mapped': `::ffff:${ipv4}`,
    'IPv4-mapped in hex': `::ffff:${front}:${back}`,
    'IPv4-mapped in full': `0:0:0:0:0:ffff:${front}:${back}`,
    'IPv4-compatible': `::${ipv4}`,
    'IPv4-translated': `::ffff:0:${ipv4}`,
    NAT64: `64:ff9b::${ipv4}`,
    'NAT64 of the local prefix': `64:ff9b:1::${front}:${back}`,
    'NAT64 of the local prefix, /48': `64:ff9b:1:${front}:${pair(0, c)}:${pair(d, 0)}::`,
    '6to4': `2002:${front}:${back}::1`,
    'Teredo server': `2001:0:${front}:${back}::1`,
    'Teredo client': `2001:0:1:1:0:0:${inverted}`,
    ISATAP: `fe00:1::5efe:${front}:${back}`,
    'ISATAP, universal': `2001:db8::200:5efe:${front}:${back}`,
  }
}
