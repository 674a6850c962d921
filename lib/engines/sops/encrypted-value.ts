import { isUtf8 } from 'node:buffer'
import { createDecipheriv } from 'node:crypto'
import { SopsError } from './sops-error.ts'
import { Comment, type SopsValue, Timestamp } from './tree.ts'

/** Nothing on the same line may look like a continuation; further lines are ignored. */
const envelope = /^ENC\[AES256_GCM,data:([^,\]]+),iv:([^,\]]+),tag:([^,\]]+),type:([^\]]+)\](?![^\n]*\])/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const tagBytes = 16

/**
 * Decrypts `ENC[AES256_GCM,data:...,iv:...,tag:...,type:...]`, which is bound to the keys above it. An empty text stays empty. Fails with
 * SopsError `value`, which contains nothing of the input.
 */
export const decryptValue = (text: string, dataKey: Uint8Array, path: readonly string[]): SopsValue =>
  text === '' ? '' : open(text, dataKey, `${path.join(':')}:`, path.join('.'))

/** The same for the MAC, which is bound to the time of the last modification. */
export const decryptMac = (text: string, dataKey: Uint8Array, lastModified: string): SopsValue =>
  text === '' ? '' : open(text, dataKey, lastModified, 'sops.mac')

const open = (text: string, dataKey: Uint8Array, bound: string, key: string): SopsValue => {
  const [, data, iv, tag, type] = envelope.exec(text) ?? []
  if (type === undefined) {
    throw new SopsError('value', "Input string <redacted> does not match sops' data format", { key })
  }
  return typed(unseal(decode(data!, key), decode(iv!, key), decode(tag!, key), dataKey, bound, key), type, key)
}

const decode = (text: string, key: string): Buffer => {
  if (base64.test(text)) return Buffer.from(text, 'base64')
  throw new SopsError('value', 'Error base64-decoding an encrypted value', { key })
}

const unseal = (data: Buffer, iv: Buffer, tag: Buffer, dataKey: Uint8Array, bound: string, key: string): Buffer => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', dataKey, iv, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(bound)).setAuthTag(tag)
    return Buffer.concat([decipher.update(data), decipher.final()])
  } catch {
    throw new SopsError('value', 'Could not decrypt with AES_GCM: cipher: message authentication failed', { key })
  }
}

const maxInt64 = 2n ** 63n

const typed = (plain: Buffer, type: string, key: string): SopsValue => {
  const invalid = (): SopsError => new SopsError('value', `the decrypted value is not of type ${type}`, { key })
  const text = plain.toString()
  switch (type) {
    case 'str':
    case 'bytes':
      return isUtf8(plain) ? text : plain
    case 'int': {
      if (!/^[-+]?\d{1,19}$/.test(text)) throw invalid()
      const value = BigInt(text)
      if (value < -maxInt64 || value >= maxInt64) throw invalid()
      return value
    }
    case 'float': {
      const value = Number(text.replace(/^([-+]?)inf(inity)?$/i, '$1Infinity'))
      if (text.trim() === '' || (Number.isNaN(value) && text.toLowerCase() !== 'nan')) throw invalid()
      return value
    }
    case 'bool':
      if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true
      if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false
      throw invalid()
    case 'time':
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/.test(text)) throw invalid()
      return new Timestamp(text)
    case 'comment':
      return new Comment(text)
    default:
      throw new SopsError('value', 'Unknown datatype', { key })
  }
}
