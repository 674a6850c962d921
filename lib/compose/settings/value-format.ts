import { isIP } from 'node:net'
import { budgetNames, type Limits } from '../../foundations/budget/budget.ts'
import { formatDuration, parseDuration } from '../../foundations/kinds/duration.ts'
import {
  formatPruneLimit,
  type PruneLimit,
  parsePruneLimit,
  pruneLimitForm,
} from '../../foundations/kinds/prune-limit.ts'
import { parseLabelSelector } from '../../hub/store/label-selector.ts'

/** How an operator writes a value, in a flag, a context key or a variable. */
export interface ValueFormat<T> {
  /** What it must be, after "expected". */
  readonly expected: string
  /** Placeholder in help texts; a switch has none, since its presence is enough. */
  readonly placeholder?: string
  /** Fails with InvalidValue. */
  read(text: string): T
  /** Text that `read` accepts. */
  write(value: T): string
  /** Combines two values, if it may be given several times. */
  join?(before: T, value: T): T
}

/** A value has the wrong format; the message continues after its name. */
export class InvalidValue extends Error {
  readonly expected: string
  constructor(found: string, expected: string) {
    super(`${found}: expected ${expected}`)
    this.name = 'InvalidValue'
    this.expected = expected
  }
}

export const onOff: ValueFormat<boolean> = {
  expected: 'true or false',
  read: text => {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new InvalidValue(`is ${shown(text)}`, 'true or false')
  },
  write: String,
}

/** A switch with a word for each position, so that the non-default position reads well. */
export const onOffSwitch: ValueFormat<boolean> = {
  placeholder: 'on|off',
  expected: 'on or off',
  read: text => {
    if (text === 'on' || text === 'off') return text === 'on'
    throw new InvalidValue(`is ${shown(text)}`, 'on or off')
  },
  write: isOn => (isOn ? 'on' : 'off'),
}

export const pruneLimit: ValueFormat<PruneLimit> = {
  placeholder: 'limit',
  expected: pruneLimitForm,
  read: text => {
    const limit = parsePruneLimit(text)
    if (limit) return limit
    throw new InvalidValue(`is ${shown(text)}`, pruneLimitForm)
  },
  write: formatPruneLimit,
}

/**
 * A text that matches a pattern. `read` throws InvalidValue, which quotes what it found, so this is no format for
 * secrets.
 */
export const text = (placeholder: string, pattern: RegExp, expected: string): ValueFormat<string> => ({
  ...{ placeholder, expected },
  read: given => {
    if (pattern.test(given)) return given
    throw new InvalidValue(`is ${shown(given)}`, expected)
  },
  write: value => value,
})

/** An IP address, or a CIDR range of them. */
export const addressRange: ValueFormat<string> = {
  placeholder: 'range',
  expected: 'IP addresses and CIDR ranges such as 10.0.0.0/8',
  read: given => {
    const [address = '', prefix] = given.split('/')
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest)
    if (longest > 0 && isPrefix && given.split('/').length <= 2) return given
    throw new InvalidValue(`is ${shown(given)}`, addressRange.expected)
  },
  write: range => range,
}

export const objectName: ValueFormat<string> = text(
  'name',
  /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
  'the name of an object: lower-case letters, digits, dashes and dots',
)

/** A whole number from `min` to `max`, in decimal digits. */
export const wholeNumber = (min: number, max = 1e7): ValueFormat<number> => {
  const expected = max < 1e7 ? `a number from ${min} to ${max}` : `a whole number, ${min} or more`
  return {
    ...{ placeholder: 'number', expected },
    read: given => {
      const value = Number(given)
      if (/^\d{1,10}$/.test(given) && value >= min && value <= max) return value
      throw new InvalidValue(`is ${shown(given)}`, expected)
    },
    write: String,
  }
}

export const byteCount: ValueFormat<number> = {
  placeholder: 'bytes',
  expected: 'a number of bytes, 1 to 2147483647',
  read: given => {
    const value = Number(given)
    if (/^\d{1,10}$/.test(given) && value >= 1 && value < 2 ** 31) return value
    throw new InvalidValue(`is ${shown(given)}`, byteCount.expected)
  },
  write: String,
}

/** A word of a closed list. */
export const oneOf = <const T extends string>(values: readonly T[]): ValueFormat<T> => {
  const expected = values.join(' or ')
  return {
    ...{ placeholder: 'name', expected },
    read: given => {
      const found = values.find(value => value === given)
      if (found) return found
      throw new InvalidValue(`is ${shown(given)}`, expected)
    },
    write: value => value,
  }
}

/** A Go duration, in milliseconds. */
export const duration: ValueFormat<number> = {
  placeholder: 'duration',
  expected: 'a duration such as 90s or 1m30s',
  read: given => {
    const ms = parseDuration(given)
    if (ms !== undefined && ms > 0) return ms
    throw new InvalidValue(`is ${shown(given)}`, duration.expected)
  },
  write: formatDuration,
}

/** Values separated by commas. */
export const listOf = <T>(
  { expected, read, write }: ValueFormat<T>,
  placeholder: string,
): ValueFormat<readonly T[]> => ({
  placeholder,
  expected: `${expected}, separated by commas`,
  read: given => {
    const items = given.split(',').map(item => item.trim())
    return items.filter(item => item !== '').map(item => readItem(item, expected, read))
  },
  write: values => values.map(write).join(','),
  join: (before, values) => [...before, ...values],
})

const readItem = <T>(item: string, expected: string, read: (text: string) => T): T => {
  try {
    return read(item)
  } catch (error) {
    throw error instanceof InvalidValue ? new InvalidValue(`holds ${shown(item)}`, expected) : error
  }
}

/** `Name=value`, separated by commas; the last one wins. `valueOf` returns the format for each name. */
export const pairsOf = <T>(
  names: readonly string[],
  value: ValueFormat<T>,
): ValueFormat<Readonly<Record<string, T>>> => {
  const expected = `name=value, separated by commas: the names are ${names.join(', ')}; a value is ${value.expected}`
  const readPair = (pair: string): [string, T] => {
    const [, name = '', given = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? []
    if (!names.includes(name)) throw new InvalidValue(`holds ${shown(pair)}`, expected)
    return [name, readItem(given, value.expected, value.read)]
  }
  const pairs = listOf<[string, T]>(
    { expected, read: readPair, write: ([name, of]) => `${name}=${value.write(of)}` },
    '',
  )
  return {
    ...{ placeholder: 'pairs', expected },
    read: given => Object.fromEntries(pairs.read(given)),
    write: values => pairs.write(Object.entries(values)),
    join: (before, values) => ({ ...before, ...values }),
  }
}

/** Limits by budget name; absent ones are unset. */
export const limits: ValueFormat<Limits> = pairsOf(budgetNames, wholeNumber(1, 2 ** 31 - 1))

export const labelSelector: ValueFormat<string> = {
  placeholder: 'selector',
  expected: 'a label selector such as team=ops,tier!=test',
  read: given => {
    try {
      parseLabelSelector(given)
      return given
    } catch {
      throw new InvalidValue(`is ${shown(given)}`, labelSelector.expected)
    }
  },
  write: value => value,
}

const shown = (value: string): string => JSON.stringify(value)
