import { createHmac } from 'node:crypto'
import { compileGlob, type NameMatcher } from '../../../engines/ignore/glob.ts'

/** Why a host key is rejected, worded as in Go's knownhosts. */
export type HostKeyProblem = 'knownhosts: key is unknown' | 'knownhosts: key mismatch' | 'knownhosts: key is revoked'

export interface KnownHosts {
  /** Undefined if the key is known for this host. */
  problemWith(host: string, port: number, key: Uint8Array): HostKeyProblem | undefined
  /** The types of the keys known for a host: the host's other keys could only be rejected. */
  keyTypes(host: string, port: number): readonly string[]
}

interface Line {
  readonly marker: string
  readonly matches: (address: string) => boolean
  readonly type: string
  readonly key: Buffer
}

/**
 * Reads a file in the format of OpenSSH's known_hosts: plain, hashed and bracketed names, patterns, revoked keys. Host
 * certificates are not supported, as in Flux: a line with an authority does not make the host's own key known. Fails on
 * a malformed line, without quoting it.
 */
export const readKnownHosts = (text: string): KnownHosts => {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), index }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, index }) => readLine(line, index))
  const of = (host: string, port: number, ...markers: readonly string[]) => {
    const address = normalized(host, port)
    return lines.filter(({ matches, marker }) => markers.includes(marker) && matches(address))
  }
  return {
    problemWith: (host, port, key) => {
      if (lines.some(line => line.marker === '@revoked' && line.key.equals(key))) return 'knownhosts: key is revoked'
      if (of(host, port, '').some(line => line.key.equals(key))) return undefined
      return of(host, port, '', '@cert-authority').length > 0
        ? 'knownhosts: key mismatch'
        : 'knownhosts: key is unknown'
    },
    keyTypes: (host, port) => [...new Set(of(host, port, '', '@revoked').map(({ type }) => type))],
  }
}

const readLine = (text: string, index: number): Line => {
  const fields = text.split(/\s+/)
  const marker = fields[0]?.startsWith('@') ? fields.shift()! : ''
  const [hosts, type, blob] = fields
  const isKey = blob !== undefined && /^AAAA[A-Za-z0-9+/]+=*$/.test(blob)
  if (!hosts || !type || !isKey) throw new Error(`knownhosts: ${missingIn(fields)} (from line ${index + 1})`)
  return { marker, type, key: Buffer.from(blob, 'base64'), matches: matcher(hosts) }
}

/** Worded as in Go's reader. */
const missingIn = ({ length }: readonly string[]): string =>
  length < 2 ? 'missing host pattern' : length < 3 ? 'missing key type pattern' : 'this is not a key'

const matcher = (hosts: string): ((address: string) => boolean) => {
  if (hosts.startsWith('|1|')) {
    const [, , salt = '', expected = ''] = hosts.split('|')
    return address => createHmac('sha1', Buffer.from(salt, 'base64')).update(address).digest('base64') === expected
  }
  const patterns = hosts.split(',').map(pattern => pattern.toLowerCase())
  const [refused, taken] = [
    patterns.filter(pattern => pattern.startsWith('!')).map(pattern => hostPattern(pattern.slice(1))),
    patterns.filter(pattern => !pattern.startsWith('!')).map(hostPattern),
  ]
  return address => taken.some(matches => matches(address)) && !refused.some(matches => matches(address))
}

/**
 * `*` and `?` as in a shell; brackets enclose the host of a port. A pattern without brackets is for the default port.
 */
const hostPattern = (pattern: string): NameMatcher =>
  compileGlob(pattern.replace(/^\[(.*)\]:22$/, '$1').replace(/[[\\]/g, '\\$&'))

/** The name alone for port 22, `[name]:port` for others. */
const normalized = (host: string, port: number): string => {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return port === 22 ? name : `[${name}]:${port}`
}
