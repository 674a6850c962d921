import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endWithTest } from './teardown.ts'

type Json = Readonly<Record<string, unknown>>

/** OLPC's canonical JSON, of which signatures are. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${canonical(name)}:${canonical(field)}`).join()}}`
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

export interface TufKey {
  readonly id: string
  readonly shown: Json
  readonly secret: KeyObject
}

export const tufKey = (): TufKey => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const shown = { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: raw.toString('hex') } }
  return { id: sha256(canonical(shown)), shown, secret: privateKey }
}

const signed = (content: Json, ...keys: readonly TufKey[]): string => {
  const bytes = Buffer.from(canonical(content))
  const signatures = keys.map(({ id, secret }) => ({ keyid: id, sig: sign(null, bytes, secret).toString('hex') }))
  return JSON.stringify({ signatures, signed: content })
}

interface Changes {
  readonly trustedRoot?: string
  /** Of the timestamp. */
  readonly expires?: string
  readonly version?: number
  /** Signs everything but the root. */
  readonly by?: TufKey
  /** What is really served as the target. */
  readonly served?: string
}

const later = '2099-01-01T00:00:00Z'

/** A TUF repository with a `trusted_root.json`, served over HTTP; signed by keys of its own. Goes with the running test. */
export const tufRepository = async () => {
  const files = new Map<string, string>()
  const requests: string[] = []
  let [rootKey, onlineKey, rootVersion] = [tufKey(), tufKey(), 1]
  let broken = 0
  const server = createServer(({ url = '' }, answer) => {
    requests.push(url)
    const content = files.get(url)
    if (broken) answer.writeHead(broken).end()
    else if (content === undefined) answer.writeHead(404).end()
    else answer.end(content)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  })

  const rootOf = (version: number, ...signers: readonly TufKey[]): string => {
    const role = (key: TufKey) => ({ keyids: [key.id], threshold: 1 })
    const keys = Object.fromEntries([rootKey, onlineKey].map(({ id, shown }) => [id, shown]))
    const roles = {
      root: role(rootKey),
      timestamp: role(onlineKey),
      snapshot: role(onlineKey),
      targets: role(onlineKey),
    }
    const head = { _type: 'root', spec_version: '1.0.31', consistent_snapshot: true }
    return signed({ ...head, version, expires: later, keys, roles }, ...signers)
  }

  let version = 0
  /** Publishes a trusted root. */
  const publish = ({ trustedRoot = '{}', expires = later, version: given, by, served }: Changes = {}): void => {
    version = given ?? version + 1
    const key = by ?? onlineKey
    const head = { spec_version: '1.0.31', version, expires: later }
    const hash = sha256(trustedRoot)
    const target = { length: Buffer.byteLength(trustedRoot), hashes: { sha256: hash } }
    files.set(`/targets/${hash}.trusted_root.json`, served ?? trustedRoot)
    files.set(
      `/${version}.targets.json`,
      signed({ ...head, _type: 'targets', targets: { 'trusted_root.json': target } }, key),
    )
    files.set(
      `/${version}.snapshot.json`,
      signed({ ...head, _type: 'snapshot', meta: { 'targets.json': { version } } }, key),
    )
    const meta = { 'snapshot.json': { version } }
    files.set('/timestamp.json', signed({ ...head, _type: 'timestamp', expires, meta }, key))
  }
  publish()

  return {
    mirror: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    root: rootOf(1, rootKey),
    publish,
    /** Rotates the keys of all roles, signed by the old root or by another key. */
    rotate: (voucher?: TufKey): void => {
      const before = voucher ?? rootKey
      ;[rootKey, onlineKey] = [tufKey(), tufKey()]
      rootVersion++
      files.set(`/${rootVersion}.root.json`, rootOf(rootVersion, before, rootKey))
    },
    /** Answers with a status from now on; 0 = as it should. */
    break: (status: number): void => {
      broken = status
    },
    /** Since the last call. */
    requests: () => requests.splice(0),
  }
}
