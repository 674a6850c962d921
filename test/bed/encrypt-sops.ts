import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { armor, Encrypter } from 'age-encryption'
import { createMessage, encrypt, readKey } from 'openpgp'
import { emitJson } from '../../lib/engines/yaml/emit-json.ts'
import type { JsonObject, JsonValue } from '../../lib/engines/yaml/json-value.ts'

/** What encrypts a data key: the name of the list in the metadata, and the entry for a data key. */
export type Lock = (dataKey: Uint8Array) => Promise<readonly [type: string, entry: JsonObject]>

export interface EncryptOptions {
  readonly locks: readonly Lock[]
  /** Fields that are encrypted, with all below them; everything when absent. */
  readonly encryptedRegex?: string
  readonly macOnlyEncrypted?: boolean
  /** Changes the document after its MAC was made. */
  readonly tamper?: (document: JsonObject) => JsonObject
}

/** Encrypts an object as the program sops does; an encryptor of the tests' own, apart from what it tests. */
export const encryptSops = async (document: JsonObject, options: EncryptOptions): Promise<JsonObject> => {
  const dataKey = randomBytes(32)
  const lastmodified = '2026-11-21T12:00:00Z'
  const hash = createHash('sha512')
  if (options.macOnlyEncrypted) hash.update(createHash('sha256').update('sops').digest())
  const pattern = new RegExp(options.encryptedRegex ?? '')
  const walk = (value: JsonValue, path: readonly string[], inside: boolean): JsonValue => {
    if (Array.isArray(value)) return value.map(item => walk(item, path, inside))
    if (typeof value === 'object' && value !== null) {
      const keys = Object.keys(value).sort()
      return Object.fromEntries(keys.map(key => [key, walk(value[key]!, [...path, key], inside || pattern.test(key))]))
    }
    if (value === null) return null
    const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)
    if (inside || !options.macOnlyEncrypted) hash.update(text)
    const type = typeof value === 'number' ? 'int' : typeof value === 'boolean' ? 'bool' : 'str'
    return inside && text !== '' ? envelope(text, type, dataKey, `${path.join(':')}:`) : value
  }
  const encrypted = walk(document, [], options.encryptedRegex === undefined) as JsonObject
  const keys: Record<string, JsonValue[]> = {}
  for (const lock of options.locks) {
    const [type, entry] = await lock(dataKey)
    keys[type] = [...(keys[type] ?? []), entry]
  }
  const mac = envelope(hash.digest('hex').toUpperCase(), 'str', dataKey, lastmodified)
  const rule: JsonObject =
    options.encryptedRegex === undefined
      ? { unencrypted_suffix: '_unencrypted' }
      : { encrypted_regex: options.encryptedRegex }
  const flag: JsonObject = options.macOnlyEncrypted ? { mac_only_encrypted: true } : {}
  const sops = { ...keys, lastmodified, mac, ...rule, ...flag, version: '3.13.3' }
  return { ...(options.tamper?.(encrypted) ?? encrypted), sops }
}

/** The same as YAML. */
export const encryptSopsYaml = async (document: JsonObject, options: EncryptOptions): Promise<string> =>
  emitJson(await encryptSops(document, options))

/** A text as sops seals it: `bound` are the keys above it, or the time of the last change. */
export const envelope = (text: string, type: string, key: Uint8Array, bound: string): string => {
  const iv = randomBytes(32)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound))
  const data = Buffer.concat([cipher.update(text), cipher.final()])
  const [d, i, t] = [data, iv, cipher.getAuthTag()].map(part => part.toString('base64'))
  return `ENC[AES256_GCM,data:${d},iv:${i},tag:${t},type:${type}]`
}

/** Encrypts for an age recipient. */
export const ageLock =
  (recipient: string): Lock =>
  async dataKey => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    return ['age', { recipient, enc: armor.encode(await encrypter.encrypt(dataKey)) }]
  }

/** Encrypts for an OpenPGP key, armored. */
export const pgpLock =
  (armoredKey: string): Lock =>
  async dataKey => {
    const key = await readKey({ armoredKey })
    const enc = (await encrypt({ message: await createMessage({ binary: dataKey }), encryptionKeys: key })) as string
    return ['pgp', { created_at: '2026-11-21T12:00:00Z', enc, fp: key.getFingerprint().toUpperCase() }]
  }
