import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { corpusFile } from '../conformance/corpus.ts'
import type { RecordedHelmRepository } from './scenario-helm.ts'
import type { RecordedImage } from './scenario-oci.ts'

/** A scenario of the recordings of Flux's controllers; see the README beside them. */
export interface Scenario {
  readonly id: string
  readonly title: string
  readonly git?: Readonly<Record<string, { readonly revisions: readonly Revision[] }>>
  readonly oci?: Readonly<Record<string, readonly RecordedImage[]>>
  readonly helm?: Readonly<Record<string, RecordedHelmRepository>>
  readonly steps: readonly Step[]
}

export interface Revision {
  readonly files: Readonly<Record<string, RecordedFile>>
}
export type RecordedFile =
  | string
  | {
      readonly base64?: string
      readonly prefix?: string
      readonly repeat?: string
      readonly times?: number
      readonly suffix?: string
      readonly mode?: string
    }

export interface Step {
  readonly do: readonly Operation[]
  readonly until: readonly Until[]
  readonly expect: Expectation
}
export type Operation = Readonly<Record<string, never>> & { readonly [name: string]: unknown }
export interface Until {
  readonly ref: string
  readonly ready?: string
  readonly rev?: string
  readonly deleted?: boolean
}

export interface Expectation {
  readonly objects: Readonly<Record<string, 'unchanged' | Readonly<Record<string, unknown>>>>
  readonly transitions?: Readonly<Record<string, readonly (readonly string[] | string)[]>>
  readonly optionalTransitions?: Expectation['transitions']
  readonly events?: readonly RecordedEvent[]
  readonly optionalEvents?: readonly RecordedEvent[]
  readonly artifactFiles?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface RecordedEvent {
  readonly object: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** The bytes of a file as scenarios write it. */
export const bytesOf = (file: RecordedFile): Buffer => {
  if (typeof file === 'string') return Buffer.from(file)
  if (file.base64 !== undefined) return Buffer.from(file.base64, 'base64')
  const { prefix = '', repeat = '', times = 0, suffix = '' } = file
  return Buffer.from(prefix + repeat.repeat(times) + suffix)
}

/** All scenarios of an area, by id. */
export const scenariosOf = (area: string): Scenario[] => {
  const folder = corpusFile(join('flux', area))
  return readdirSync(folder)
    .sort()
    .map(id => load(readFileSync(join(folder, id, 'scenario.yaml'), 'utf8')) as Scenario)
}

/** The value with a function applied to each text in it, keys included. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]))
}
