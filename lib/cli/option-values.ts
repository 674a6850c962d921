import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../kinds/duration.ts'

/** Parsers for option values; what they refuse commander reports with the option's name. */

export const portNumber = (value: string): number => {
  if (!/^\d+$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.')
  return Number(value)
}

export const percentage = (value: string): number => {
  if (!/^\d+$/.test(value) || Number(value) > 100) throw new InvalidArgumentError('It must be 0 to 100.')
  return Number(value)
}

export const positiveInteger = (value: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError('It must be a positive whole number.')
  return Number(value)
}

/** Words separated by commas. */
export const textList = (value: string): readonly string[] => value.split(',').filter(part => part !== '')

/** A Go duration such as `1m30s`, in milliseconds. */
export const duration = (value: string): number => {
  const ms = parseDuration(value)
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('It must be a duration such as 90s or 1m30s.')
  return ms
}
