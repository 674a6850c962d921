import { createCipheriv, createDecipheriv, createHmac, scryptSync } from 'node:crypto'
import bcryptjs from 'bcryptjs'
import { type FunctionMap, TemplateFunction } from '../values/value.ts'
import { base64Bytes } from './base64.ts'

/** Random bytes that nobody can guess. */
type RandomBytes = (count: number) => Uint8Array

/** Sprig's functions of passwords, and of what is encrypted with them. */
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

/** The password's first 32 bytes, filled up with zeros. */
const keyOf = (password: string): Buffer => {
  const key = Buffer.alloc(32)
  Buffer.from(password).copy(key)
  return key
}

/** AES-256-CBC, in base64 after the initialisation vector. */
const encrypt = (key: Buffer, plain: string, vector: Uint8Array): string => {
  const cipher = createCipheriv('aes-256-cbc', key, vector)
  return Buffer.concat([vector, cipher.update(plain), cipher.final()]).toString('base64')
}

const BLOCK = 16

/** With a wrong password comes rubbish out, or an error where its last byte says that more was filled up than there is. */
const decrypt = (key: Buffer, encrypted: Buffer): string => {
  if (encrypted.length < 2 * BLOCK || encrypted.length % BLOCK !== 0)
    throw new Error(`what is encrypted has ${encrypted.length} bytes: it is cut off, or no output of encryptAES`)
  const decipher = createDecipheriv('aes-256-cbc', key, encrypted.subarray(0, BLOCK)).setAutoPadding(false)
  const plain = Buffer.concat([decipher.update(encrypted.subarray(BLOCK)), decipher.final()])
  const filling = plain.at(-1)!
  if (filling > plain.length) throw new Error('the password is another than it was encrypted with')
  return plain.subarray(0, plain.length - filling).toString('utf8')
}

// The Master Password algorithm (masterpassword.app): a key from name and password, a seed from key and site, a letter from
// each byte of the seed. The first byte chooses among the patterns of the wanted sort.

const SCOPE = 'com.lyndir.masterpassword'

const patterns: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    ...['CvcvnoCvcvCvcv', 'CvcvCvcvnoCvcv', 'CvcvCvcvCvcvno', 'CvccnoCvcvCvcv', 'CvccCvcvnoCvcv', 'CvccCvcvCvcvno'],
    ...['CvcvnoCvccCvcv', 'CvcvCvccnoCvcv', 'CvcvCvccCvcvno', 'CvcvnoCvcvCvcc', 'CvcvCvcvnoCvcc', 'CvcvCvcvCvccno'],
    ...['CvccnoCvccCvcv', 'CvccCvccnoCvcv', 'CvccCvccCvcvno', 'CvcvnoCvccCvcc', 'CvcvCvccnoCvcc', 'CvcvCvccCvccno'],
    ...['CvccnoCvcvCvcc', 'CvccCvcvnoCvcc', 'CvccCvcvCvccno'],
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
}

const letters: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
}

const derivePassword = (counter: number, sort: string, password: string, user: string, site: string): string => {
  const known = Object.hasOwn(patterns, sort) ? patterns[sort] : undefined
  if (!known) return `cannot find password template ${sort}`
  const salt = Buffer.concat([Buffer.from(SCOPE), withLength(user)])
  const key = scryptSync(password, salt, 64, { N: 32768, r: 8, p: 2, maxmem: 2 ** 27 })
  const message = Buffer.concat([Buffer.from(SCOPE), withLength(site), uint32(counter)])
  const seed = createHmac('sha256', key).update(message).digest()
  const pattern = known[seed[0]! % known.length]!
  return [...pattern].map((sort, i) => letters[sort]![seed[i + 1]! % letters[sort]!.length]).join('')
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const withLength = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([uint32(bytes.length), bytes])
}
