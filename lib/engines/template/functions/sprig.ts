import { type FunctionMap, TemplateFunction } from '../values/value.ts'
import { type Certifier, certificateFunctions } from './certificates.ts'
import { goInteger } from './convert.ts'
import { decimalFunctions } from './decimals.ts'
import { digest } from './encoding.ts'
import { mergeFunctions } from './merge.ts'
import { passwordFunctions } from './passwords.ts'
import type { Random } from './random.ts'
import { slimSprigFunctions } from './slim-sprig.ts'
import { type Versions, versionFunctions } from './versions.ts'
import { wordFunctions } from './words.ts'

/** The characters in random order. */
const shuffle =
  (random: Random) =>
  (text: string): string => {
    const characters = [...text]
    for (let i = characters.length - 1; i > 0; i--) {
      const other = Math.floor(random() * (i + 1))
      ;[characters[i], characters[other]] = [characters[other]!, characters[i]!]
    }
    return characters.join('')
  }

/** A number from 0 to 1 from secure random bytes: charts create passwords with it. */
const randomFrom =
  (bytes: Certifier['bytes']): Random =>
  () =>
    Buffer.from(bytes(6)).readUIntBE(0, 6) / 2 ** 48

/**
 * Masterminds/sprig, the functions of Helm charts: slim-sprig's and more, including keys and certificates. Functions that access the
 * environment or network (`env`, `expandenv`, `getHostByName`) are unknown here.
 */
export const sprigFunctions = <V>({
  versions,
  ...ambient
}: Certifier & { readonly versions: Versions<V> }): FunctionMap => {
  const { now, bytes } = ambient
  const random = randomFrom(bytes)
  return new Map([
    ...slimSprigFunctions({ now, random, readInteger: goInteger }),
    ...wordFunctions,
    ...mergeFunctions,
    ...versionFunctions(versions),
    ...certificateFunctions(ambient),
    ...passwordFunctions(bytes),
    ['shuffle', new TemplateFunction(['string'], shuffle(random))],
    ['sha512sum', digest('sha512')],
    ...decimalFunctions,
  ])
}
