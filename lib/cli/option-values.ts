import { InvalidArgumentError, Option } from 'commander'
import * as forms from '../compose/settings/value-format.ts'
import { budgetNames } from '../foundations/budget/budget.ts'
import { maxTailLines } from '../foundations/fleet/live.ts'

/** Parsers of option values; commander adds the option's name to their errors. */

/**
 * For commander: reads a value as the hub's settings do. Throws InvalidArgumentError, with which commander names the
 * option.
 */
export const argument =
  <T>({ read }: forms.ValueFormat<T>) =>
  (text: string): T => {
    try {
      return read(text)
    } catch (error) {
      if (error instanceof forms.InvalidValue) throw new InvalidArgumentError(`Expected ${error.expected}.`)
      throw error
    }
  }

export const portNumber = argument(forms.wholeNumber(0, 65_535))

export const count = argument(forms.wholeNumber(0))

export const atLeastOne = argument(forms.wholeNumber(1))

/** As many as are read of the log of a container. */
export const linesOfLog = argument(forms.wholeNumber(1, maxTailLines))

/** A Go duration such as `1m30s`, in milliseconds. */
export const duration = argument(forms.duration)

/** IP addresses and CIDR ranges, separated by commas. */
export const addressRanges = argument(forms.listOf(forms.addressRange, 'ranges'))

/** Limits of a build: the hub's `--build-limits`, but without defaults. */
export const buildLimitsOption = (): Option =>
  new Option('--build-limits <pairs>', `limits of the build, as name=number: ${budgetNames.join(', ')}`)
    .argParser(argument(forms.limits))
    .default({}, 'no limits')

/** Words separated by commas. */
export const textList = (value: string): readonly string[] => value.split(',').filter(part => part !== '')

/** Parses one of these values, in any case. */
export const namedValue =
  (values: readonly string[]) =>
  (text: string): string => {
    const found = values.find(value => value.toLowerCase() === text.toLowerCase())
    if (found) return found
    throw new InvalidArgumentError(`Expected one of ${values.join(', ')}.`)
  }
