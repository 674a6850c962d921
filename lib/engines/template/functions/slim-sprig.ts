import type { FunctionMap } from '../values/value.ts'
import { conversions, decimalInteger, type ReadInteger } from './convert.ts'
import { clockFunctions, dateFunctions, type Now } from './dates.ts'
import { defaultFunctions } from './defaults.ts'
import { dictFunctions } from './dicts.ts'
import { encodingFunctions } from './encoding.ts'
import { listFunctions } from './lists.ts'
import { numberFunctions } from './numbers.ts'
import { pathFunctions } from './paths.ts'
import { type Random, randomFunctions } from './random.ts'
import { reflectionFunctions } from './reflection.ts'
import { regexFunctions } from './regex.ts'
import { stringFunctions } from './strings.ts'
import { urlFunctions } from './urls.ts'

export interface Ambient {
  readonly now?: Now
  readonly random?: Random
}

interface Dialect {
  readonly readInteger?: ReadInteger
}

/** slim-sprig's functions without side effects or ambient inputs (its hermetic set). */
export const hermeticFunctions = ({ now, random, readInteger = decimalInteger }: Ambient & Dialect = {}): FunctionMap =>
  new Map([
    ...conversions(readInteger),
    ...stringFunctions,
    ...defaultFunctions,
    ...reflectionFunctions,
    ...listFunctions(readInteger),
    ...dictFunctions,
    ...encodingFunctions,
    ...pathFunctions,
    ...urlFunctions,
    ...regexFunctions(),
    ...numberFunctions(readInteger, random),
    ...dateFunctions(now),
  ])

/**
 * All of slim-sprig except access to the environment and network: `env`, `expandenv` and `getHostByName` are deliberately unknown, since
 * templates come from untrusted users.
 */
export const slimSprigFunctions = (ambient: Required<Ambient> & Dialect): FunctionMap =>
  new Map([...hermeticFunctions(ambient), ...clockFunctions(ambient.now), ...randomFunctions(ambient.random)])
