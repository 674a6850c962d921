import { evaluationError } from '../cel-error.ts'
import type { Functions } from './function.ts'

export const byteFunctions: Functions = {
  'size(bytes): int': (bytes: Uint8Array) => BigInt(bytes.length),
  'base64::encode(bytes): string': (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
  'base64::decode(string): bytes': (text: string) => {
    const digits = text.replace(/[\r\n]/g, '')
    const isPadded = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
    const isBare = digits.length % 4 !== 1 && /^[A-Za-z0-9+/]*$/.test(digits)
    if (!isPadded && !isBare)
      throw evaluationError(`illegal base64 data at input byte ${firstFault(text)}`, 'illegal base64 data')
    return Buffer.from(digits, 'base64')
  },
}

/** The position that Go reports: it finally retries without padding, so that padding is reported too. */
const firstFault = (text: string): number => {
  const at = text.search(/[^A-Za-z0-9+/\r\n]/)
  return at < 0 ? text.length - 1 : at
}
