import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** The proxy for a server, which may contain a user and password; undefined = a direct connection. */
export type ProxyFor = (url: URL) => URL | undefined

/** The environment's proxy settings can't be used. */
class InvalidProxy extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidProxy'
  }
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case, as Go's golang.org/x/net/http/httpproxy does; for SSH addresses ALL_PROXY, if
 * it is a SOCKS proxy (golang.org/x/net/proxy). This machine is reached directly. The result fails with InvalidProxy where HTTP_PROXY may come from
 * a request, as in CGI programs.
 */
export const environmentProxies = (environment: Readonly<Record<string, string | undefined>>): ProxyFor => {
  const variable = (name: string) => environment[name] || environment[name.toLowerCase()] || ''
  const proxies: Readonly<Record<string, URL | undefined>> = {
    'https:': readProxy(variable('HTTPS_PROXY')),
    'http:': readProxy(variable('HTTP_PROXY')),
    'ssh:': onlySocks(URL.parse(variable('ALL_PROXY')) ?? undefined),
  }
  const isExempt = exemptions(variable('NO_PROXY'))
  return url => {
    const proxy = proxies[url.protocol]
    if (!proxy) return undefined
    if (url.protocol === 'http:' && environment.REQUEST_METHOD) {
      throw new InvalidProxy('refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy')
    }
    return isExempt(url) ? undefined : proxy
  }
}

const schemes = ['http:', 'https:', 'socks5:', 'socks5h:']

/** A bare `host:port` is an HTTP proxy. Invalid addresses count as absent. */
const readProxy = (text: string): URL | undefined => {
  if (text === '') return undefined
  const url = URL.parse(text)
  return url && schemes.includes(url.protocol) ? url : (URL.parse(`http://${text}`) ?? undefined)
}

const onlySocks = (url: URL | undefined): URL | undefined => (url?.protocol.startsWith('socks5') ? url : undefined)

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80', 'ssh:': '22' }

type Exemption = (host: string, port: string) => boolean

const exemptions = (noProxy: string): ((url: URL) => boolean) => {
  const entries = noProxy
    .split(',')
    .map(entry => entry.trim().toLowerCase())
    .filter(entry => entry !== '')
  const exempt: readonly Exemption[] = entries.includes('*') ? [() => true] : entries.flatMap(readExemption)
  return ({ protocol, hostname, port }) => {
    const host = hostname.replace(/^\[|\]$/g, '')
    if (host === 'localhost' || isWithin(loopback, host)) return true
    return exempt.some(matches => matches(host, port || (defaultPorts[protocol] ?? '')))
  }
}

/** An address, a range of addresses, or a domain (with a leading dot only its subdomains), each with an optional port. */
const readExemption = (entry: string): readonly Exemption[] => {
  const range = readRange(entry)
  if (range) return [host => isWithin(range, host)]
  const [, bracketed, plain, wanted = ''] = /^(?:\[(.*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? []
  const name = bracketed ?? plain ?? entry
  if (name === '') return []
  const fits = (port: string) => wanted === '' || wanted === port
  if (isIP(name)) {
    const address = new BlockList()
    address.addAddress(name, familyOf(name))
    return [(host, port) => isWithin(address, host) && fits(port)]
  }
  const below = name.startsWith('*.') ? name.slice(1) : name
  const domain = inAscii(below.replace(/^\./, ''))
  const isItself = !below.startsWith('.')
  return [
    (host, port) => isIP(host) === 0 && (host.endsWith(`.${domain}`) || (isItself && host === domain)) && fits(port),
  ]
}

const readRange = (entry: string): BlockList | undefined => {
  const [address = '', bits, ...more] = entry.split('/')
  if (bits === undefined || more.length > 0 || !/^\d{1,3}$/.test(bits) || !isIP(address)) return undefined
  if (Number(bits) > (isIP(address) === 4 ? 32 : 128)) return undefined
  const range = new BlockList()
  range.addSubnet(address, Number(bits), familyOf(address))
  return range
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

const isWithin = (addresses: BlockList, host: string): boolean =>
  isIP(host) > 0 && addresses.check(host, familyOf(host))

const inAscii = (name: string): string => domainToASCII(name) || name

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
