import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** A user's Ed25519 key in NATS' format: https://docs.nats.io/running-a-nats-service/nats_admin/security/nkeys */
export interface Nkey {
  /** `U...` */
  readonly publicKey: string
  /** Signs a server's nonce: base64url without padding. */
  sign(nonce: string): string
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** The first five bits of a seed encode `S`, the next eight the type of key. */
const seedPrefix = 18 << 3
/** The PKCS #8 header of a 32-byte Ed25519 key (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Reads a seed, `SU...`. Fails with an Error that does not quote it. */
export const readNkey = (seed: string): Nkey => {
  const raw = fromBase32(seed.trim())
  const [first = 0, second = 0] = raw ?? []
  const isSeed =
    raw?.length === 36 && (first & 0xf8) === seedPrefix && raw.readUInt16LE(34) === crc16(raw.subarray(0, 34))
  if (!raw || !isSeed)
    throw new Error('the nkey in the Secret is not a seed: a seed starts with SU and has 58 characters')
  const owner = ((first & 7) << 5) | (second >> 3)
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, raw.subarray(2, 34)]), format: 'der', type: 'pkcs8' })
  return {
    publicKey: publicName(owner, key),
    sign: nonce => sign(null, Buffer.from(nonce), key).toString('base64url'),
  }
}

const publicName = (owner: number, key: KeyObject): string => {
  const named = Buffer.concat([
    Uint8Array.of(owner),
    createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32),
  ])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(crc16(named))
  return toBase32(Buffer.concat([named, checksum]))
}

/** CRC-16/XMODEM. */
const crc16 = (bytes: Uint8Array): number => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}

const toBase32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

const fromBase32 = (text: string): Buffer | undefined => {
  if (text.length > 100 || !/^[A-Z2-7]+$/.test(text)) return undefined
  const bits = [...text].map(letter => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(eight => Number.parseInt(eight, 2)))
}
