import { createHmac, scryptSync } from 'node:crypto'

/**
 * The Master Password algorithm (masterpassword.app): derives a key from name and password, a seed from key and site, and a character from
 * each byte of the seed. The first byte selects one of the patterns of the requested sort.
 */

const SCOPE = 'com.lyndir.masterpassword'

const patterns = {
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
} as const

const letters: Readonly<Record<string, string>> = {
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
}

export type Sort = keyof typeof patterns

export const isSort = (text: string): text is Sort => Object.hasOwn(patterns, text)

/** Slow on purpose, to hinder guessing passwords. */
export const masterKey = (user: string, password: string): Buffer =>
  scryptSync(password, Buffer.concat([Buffer.from(SCOPE), withLength(user)]), 64, {
    N: 32768,
    r: 8,
    p: 2,
    maxmem: 2 ** 27,
  })

export interface Site {
  readonly site: string
  /** Increment for another password of the same site. */
  readonly counter: number
  readonly sort: Sort
}

/**
 * The password of a site in the Master Password algorithm, as sprig's `derivePassword`. `key` is the result of
 * `masterKey`.
 */
export const sitePassword = (key: Buffer, { site, counter, sort }: Site): string => {
  const message = Buffer.concat([Buffer.from(SCOPE), withLength(site), uint32(counter)])
  const [first, ...seed] = createHmac('sha256', key).update(message).digest()
  const pattern = patterns[sort][first! % patterns[sort].length]!
  return [...pattern].map((kind, i) => letters[kind]![seed[i]! % letters[kind]!.length]).join('')
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
