import { parseYaml } from '../../engines/yaml/parse.ts'
import { durationMs } from '../../foundations/kinds/duration.ts'
import type { Provider } from '../../foundations/kinds/provider.ts'
import type { References } from '../../hub/references/references.ts'
import { requireSecret } from '../../hub/references/require-secret.ts'
import { readProxy, readTls } from '../../platform/http/connection-secrets.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'

/** Address, credentials and connection options of a Provider. Contains secrets: never log it. */
export interface ProviderAccess {
  readonly type: Provider['spec']['type']
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The target URL; that of a webhook is as secret as a token. */
  readonly address: string
  readonly channel: string
  readonly username: string
  readonly password: string
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
  /** The whole Secret, for types with their own keys. */
  readonly secret: ReadonlyMap<string, string>
  readonly connection: ConnectionOptions
  readonly timeoutMs: number
}

const defaultTimeoutMs = 15_000
const maxAddressLength = 2048

/** Reads a Provider's Secrets. Fails with an error that names the missing key, and quotes no value. */
export const loadProviderAccess = async (references: References, provider: Provider): Promise<ProviderAccess> => {
  const { spec, metadata } = provider
  const namespace = metadata.namespace ?? ''
  if (spec.serviceAccountName)
    throw new Error(
      'spec.serviceAccountName is not supported: leave it out, and the identity of the hub itself is used',
    )
  const read = (reference: { readonly name: string } | undefined) =>
    reference ? requireSecret(references, provider, reference.name) : undefined
  const [content, proxy, certificates] = await Promise.all([
    read(spec.secretRef),
    read(spec.proxySecretRef),
    read(spec.certSecretRef),
  ])
  const secret = new Map([...(content?.data ?? [])].map(([key, bytes]) => [key, bytes.toString()]))
  const text = (key: string) => (secret.get(key) ?? '').trim()
  if (text('address').length > maxAddressLength)
    throw new Error(`invalid address in secret: address exceeds maximum length of ${maxAddressLength} bytes`)
  const proxyUrl = proxy ? readProxy(proxy) : spec.proxy ? new URL(spec.proxy) : undefined
  return {
    type: spec.type,
    namespace,
    name: metadata.name,
    uid: metadata.uid ?? '',
    address: text('address') || (spec.address ?? ''),
    channel: spec.channel ?? '',
    username: spec.username || text('username'),
    password: text('password'),
    token: text('token'),
    headers: headersIn(secret.get('headers')),
    secret,
    connection: { ...(certificates && { tls: readTls(certificates) }), ...(proxyUrl && { proxy: proxyUrl }) },
    timeoutMs: spec.timeout ? durationMs(spec.timeout) : defaultTimeoutMs,
  }
}

const headersIn = (yaml: string | undefined): Readonly<Record<string, string>> => {
  if (!yaml) return {}
  try {
    const [headers] = parseYaml(yaml)
    if (typeof headers === 'object' && headers !== null && !Array.isArray(headers))
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  } catch {
    // The parser's message might quote a header's value.
  }
  throw new Error("failed to read headers from secret: 'headers' must be a YAML map of names to values")
}

/** Removes all secrets of the Provider from a text: a server's response may repeat the request. */
export const redactSecrets = (text: string, { secret, token, password, address }: ProviderAccess): string => {
  const values = [...secret.values(), token, password, address, ...secretsWithin(address)]
    .map(value => value.trim())
    .filter(value => value.length > 3)
  return values.sort((a, b) => b.length - a.length).reduce((masked, value) => masked.replaceAll(value, '*****'), text)
}

/** The secrets in an address: users, passwords, a shared key. */
const secretsWithin = (address: string): readonly string[] => {
  const urls = address.split(',').flatMap(part => URL.parse(part.trim()) ?? [])
  const [, key = ''] = /SharedAccessKey=([^;]+)/.exec(address) ?? []
  return [...urls.flatMap(({ username, password }) => [username, password]), key].map(decoded)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
