import { createSecureContext } from 'node:tls'
import { parseYaml } from '../../engines/yaml/parse.ts'
import { YamlError } from '../../engines/yaml/yaml-error.ts'
import { type EksLogin, eksLoginOf } from './exec-login.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

export { KubeconfigError }

/** The access to one API server as one user. Contains secrets: never log it. */
export interface ClusterAccess {
  /** An http(s) URL without credentials. */
  readonly server: string
  /** PEM. */
  readonly certificateAuthority?: string
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify: boolean
  readonly proxyUrl?: string
  /** PEM. */
  readonly clientCertificate?: string
  /** PEM. */
  readonly clientKey?: string
  readonly token?: string
  /** How to get a token from AWS, in place of one in the kubeconfig. */
  readonly eks?: EksLogin
  readonly basicAuth?: { readonly username: string; readonly password: string }
  readonly impersonate?: Impersonation
  /** Settings of the kubeconfig that are ignored, worded for its author. */
  readonly warnings: readonly string[]
}

export interface Impersonation {
  readonly user: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export interface KubeconfigOptions {
  /** The kubeconfig's current-context if absent. */
  readonly context?: string
  /**
   * Reads a file that the kubeconfig refers to. For a user's own machine only: if absent, such references are refused.
   */
  readonly readFile?: (path: string) => string
  /** Honours insecure-skip-tls-verify, which is ignored otherwise (as Flux does by default). */
  readonly allowInsecureTls?: boolean
}

/**
 * Reads one context of a kubeconfig. Executes nothing, and reads no file unless `readFile` is given;
 * drops `auth-provider` with a warning, as Flux does; recognizes `exec` entries that get a token from AWS, and refuses all
 * others. Fails with a KubeconfigError that names the field and quotes none of its value.
 */
export const parseKubeconfig = (text: string, options: KubeconfigOptions = {}): ClusterAccess => {
  const config = mapping(parseDocument(text), 'kubeconfig')
  const contextName = options.context ?? string(config['current-context'], 'current-context')
  if (!contextName) throw new KubeconfigError('kubeconfig: current-context is not set')
  const context = named(config, 'contexts', 'context', contextName)
  const clusterName = string(context.cluster, `contexts[${contextName}].context.cluster`) ?? ''
  const userName = string(context.user, `contexts[${contextName}].context.user`)
  const cluster = entry(config, 'clusters', 'cluster', clusterName, options)
  const user = entry(config, 'users', 'user', userName, options)
  const warnings: string[] = []

  if (user.has('auth-provider')) warnings.push(`users[${userName}].user.auth-provider is not supported and was ignored`)
  const insecure = cluster.flag('insecure-skip-tls-verify')
  if (insecure && !options.allowInsecureTls)
    warnings.push(`clusters[${clusterName}].cluster.insecure-skip-tls-verify is not allowed and was ignored`)

  return {
    server: httpUrl(cluster.text('server'), `clusters[${clusterName}].cluster.server`),
    certificateAuthority: cluster.data('certificate-authority-data', 'certificate-authority'),
    tlsServerName: cluster.text('tls-server-name'),
    insecureSkipTlsVerify: insecure && options.allowInsecureTls === true,
    proxyUrl: proxyUrl(cluster.text('proxy-url'), `clusters[${clusterName}].cluster.proxy-url`),
    ...clientCertificate(user, userName),
    token: user.text('token') ?? user.file('tokenFile')?.trim(),
    ...(user.has('exec') && { eks: eksLoginOf(user.value('exec'), `users[${userName}].user.exec`) }),
    basicAuth: basicAuth(user),
    impersonate: impersonation(user),
    warnings,
  }
}

const clientCertificate = (user: Entry, name = ''): Pick<ClusterAccess, 'clientCertificate' | 'clientKey'> => {
  const cert = user.data('client-certificate-data', 'client-certificate')
  const key = user.data('client-key-data', 'client-key')
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined || key === undefined) {
    const missing = key ? 'client-certificate-data' : 'client-key-data'
    throw new KubeconfigError(
      `kubeconfig: users[${name}].user.${missing} is missing: the certificate and the key must both be set`,
    )
  }
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const { message } = error as Error
    throw new KubeconfigError(
      `kubeconfig: users[${name}].user: the client certificate or its key is unusable: ${message}`,
    )
  }
  return { clientCertificate: cert, clientKey: key }
}

const basicAuth = (user: Entry): ClusterAccess['basicAuth'] => {
  const username = user.text('username')
  return username === undefined ? undefined : { username, password: user.text('password') ?? '' }
}

const impersonation = (user: Entry): Impersonation | undefined => {
  const name = user.text('as')
  if (name === undefined) return undefined
  const groups = user.texts('as-groups')
  const uid = user.text('as-uid')
  const extra = user.textLists('as-user-extra')
  return {
    user: name,
    ...(groups.length > 0 && { groups }),
    ...(uid !== undefined && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/** A cluster's or user's fields, each read with its path known for messages. */
interface Entry {
  has(field: string): boolean
  value(field: string): unknown
  text(field: string): string | undefined
  texts(field: string): readonly string[]
  textLists(field: string): Readonly<Record<string, readonly string[]>>
  flag(field: string): boolean
  /** Inline base64, else the file named by the other field. */
  data(inline: string, file: string): string | undefined
  file(field: string): string | undefined
}

const entry = (
  config: Mapping,
  list: string,
  field: string,
  name: string | undefined,
  { readFile }: KubeconfigOptions,
): Entry => {
  const fields = name ? named(config, list, field, name) : {}
  const place = (key: string) => `${list}[${name}].${field}.${key}`
  const text = (key: string) => string(fields[key], place(key))
  const file = (key: string) => {
    const path = text(key)
    if (path === undefined) return undefined
    if (!readFile)
      throw new KubeconfigError(
        `kubeconfig: ${place(key)} refers to a file: only values inside the kubeconfig are supported`,
      )
    try {
      return readFile(path)
    } catch (error) {
      throw new KubeconfigError(`kubeconfig: ${place(key)}: ${(error as Error).message}`, error)
    }
  }
  return {
    has: key => fields[key] !== undefined && fields[key] !== null,
    value: key => fields[key],
    text,
    texts: key => strings(fields[key], place(key)),
    textLists: key =>
      Object.fromEntries(
        Object.entries(mapping(fields[key] ?? {}, place(key))).map(([name, list]) => [name, strings(list, place(key))]),
      ),
    flag: key => fields[key] === true,
    data: (inline, fallback) => {
      const encoded = text(inline)
      return encoded === undefined ? file(fallback) : decodeBase64(encoded, place(inline))
    },
    file,
  }
}

type Mapping = Readonly<Record<string, unknown>>

const parseDocument = (text: string): unknown => {
  try {
    const documents = parseYaml(text)
    if (documents.length <= 1) return documents[0]
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    // The parser's own message may quote credentials.
    const problem = error.problem.replace(/`.*`|'[^']*'|"[^"]*"/gs, '...')
    throw new KubeconfigError(`yaml: line ${error.line || 1}: ${problem}`)
  }
  throw new KubeconfigError('yaml: there is more than one document')
}

const named = (config: Mapping, list: string, field: string, name: string): Mapping => {
  const entries: readonly unknown[] = Array.isArray(config[list]) ? config[list] : []
  const found = entries.map(item => mapping(item, list)).find(item => item.name === name)
  if (!found) throw new KubeconfigError(`kubeconfig: ${list} has no entry named ${JSON.stringify(name)}`)
  return mapping(found[field] ?? {}, `${list}[${name}].${field}`)
}

const mapping = (value: unknown, place: string): Mapping => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Mapping
  throw new KubeconfigError(
    place === 'kubeconfig' ? 'kubeconfig: not a mapping' : `kubeconfig: ${place} is not a mapping`,
  )
}

const string = (value: unknown, place: string): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new KubeconfigError(`kubeconfig: ${place} is not a string`)
}

const strings = (value: unknown, place: string): readonly string[] =>
  Array.isArray(value) ? value.map(item => string(item, place) ?? '') : []

const decodeBase64 = (encoded: string, place: string): string => {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded))
    throw new KubeconfigError(`kubeconfig: ${place} is not valid base64`)
  return Buffer.from(encoded, 'base64').toString()
}

const httpUrl = (value: string | undefined, place: string): string => {
  const url = value && URL.parse(/^https?:\/\//i.test(value) ? value : `https://${value}`)
  if (!url) throw new KubeconfigError(`kubeconfig: ${place} is not a URL`)
  url.username = ''
  url.password = ''
  return url.href.replace(/\/$/, '')
}

const proxyUrl = (value: string | undefined, place: string): string | undefined => {
  if (value === undefined || /^https?:\/\//i.test(value)) return value
  throw new KubeconfigError(`kubeconfig: ${place}: only http and https proxies are supported`)
}
