/** The 4 bytes of an IPv4 address or 16 of an IPv6 address, as Go's net.ParseIP reads them; undefined for anything else. */
export const ipBytes = (text: string): Buffer | undefined => (text.includes(':') ? ipv6(text) : ipv4(text))

const ipv4 = (text: string): Buffer | undefined => {
  const parts = text.split('.')
  const isAddress = parts.length === 4 && parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  return isAddress ? Buffer.from(parts.map(Number)) : undefined
}

const ipv6 = (text: string): Buffer | undefined => {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, i) => groups(half, i === halves.length - 1))
  if (!head || (halves.length === 2 && !tail)) return undefined
  const missing = 16 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined
  const bytes = Buffer.from([...head, ...Array<number>(missing).fill(0), ...(tail ?? [])])
  return bytes.subarray(0, 12).equals(mapped) ? bytes.subarray(12) : bytes
}

/** The prefix of an IPv4-mapped IPv6 address. */
const mapped = Buffer.from('00000000000000000000ffff', 'hex')

const groups = (text: string, isLast: boolean): readonly number[] | undefined => {
  if (text === '') return []
  const parts = text.split(':')
  const bytes: number[] = []
  for (const [i, part] of parts.entries()) {
    const dotted = isLast && i === parts.length - 1 ? ipv4(part) : undefined
    if (dotted) bytes.push(...dotted)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) bytes.push(Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff)
    else return undefined
  }
  return bytes
}
