import { createCipheriv, createDecipheriv } from 'node:crypto'
import bcryptjs from 'bcryptjs'
import { bytesOf, textOf } from '../values/text.ts'
import { type FunctionMap, TemplateFunction } from '../values/value.ts'
import { base64Bytes } from './base64.ts'
import { isSort, masterKey, sitePassword } from './master-password.ts'

/** Cryptographically secure random bytes. */
type RandomBytes = (count: number) => Uint8Array

/** Sprig's functions for passwords, and for encryption with them. */
export const passwordFunctions = (bytes: RandomBytes): FunctionMap =>
  new Map([
    ['bcrypt', new TemplateFunction(['string'], (password: string) => bcrypt(password, bytes))],
    [
      'htpasswd',
      new TemplateFunction(['string', 'string'], (user: string, password: string) =>
        user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(password, bytes)}`,
      ),
    ],
    ['derivePassword', new TemplateFunction(['uint32', 'string', 'string', 'string', 'string'], derivePassword)],
    [
      'encryptAES',
      new TemplateFunction(['string', 'string'], (password: string, plain: string) =>
        plain === '' ? '' : encrypt(keyOf(password), plain, bytes(16)),
      ),
    ],
    [
      'decryptAES',
      new TemplateFunction(['string', 'string'], (password: string, encrypted: string) =>
        encrypted === '' ? '' : decrypt(keyOf(password), base64Bytes(encrypted)),
      ),
    ],
  ])

const COST = 10

const bcrypt = (password: string, bytes: RandomBytes): string => {
  if (Buffer.byteLength(password) > 72)
    return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes'
  return bcryptjs.hashSync(password, `$2a$${COST}$${bcryptjs.encodeBase64([...bytes(16)], 16)}`)
}

/** The first 32 bytes of the password, padded with zeros. */
const keyOf = (password: string): Buffer => {
  const key = Buffer.alloc(32)
  bytesOf(password).copy(key)
  return key
}

/** AES-256-CBC, as base64 with the initialization vector in front. */
const encrypt = (key: Buffer, plain: string, vector: Uint8Array): string => {
  const cipher = createCipheriv('aes-256-cbc', key, vector)
  return Buffer.concat([vector, cipher.update(bytesOf(plain)), cipher.final()]).toString('base64')
}

const BLOCK = 16

/** A wrong password yields garbage, or an error if the padding length is too large. */
const decrypt = (key: Buffer, encrypted: Buffer): string => {
  if (encrypted.length < 2 * BLOCK || encrypted.length % BLOCK !== 0)
    throw new Error(`the encrypted text has ${encrypted.length} bytes: it is truncated, or not an output of encryptAES`)
  const decipher = createDecipheriv('aes-256-cbc', key, encrypted.subarray(0, BLOCK)).setAutoPadding(false)
  const plain = Buffer.concat([decipher.update(encrypted.subarray(BLOCK)), decipher.final()])
  const filling = plain.at(-1)!
  if (filling > plain.length) throw new Error('the password is another than it was encrypted with')
  return textOf(plain.subarray(0, plain.length - filling))
}

const derivePassword = (counter: number, sort: string, password: string, user: string, site: string): string =>
  isSort(sort)
    ? sitePassword(masterKey(user, password), { site, counter, sort })
    : `cannot find password template ${sort}`
