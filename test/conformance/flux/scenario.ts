import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'

/** A scenario of the recordings of Flux's controllers; what its parts mean is told in the README beside them. */
export interface Scenario {
  readonly id: string
  readonly area: string
  readonly title: string
  /** Numbers of the statements that it shows. */
  readonly checklist?: readonly string[]
  readonly profile: string
  readonly target?: string
  readonly extraNamespaces?: readonly string[]
  /** Live objects to be looked at beside those of an inventory: `[target!][apiVersion:]Kind/[namespace/]name`. */
  readonly observe?: readonly string[]
  /** What the servers serve, see `servers/`. */
  readonly git?: Readonly<Record<string, { readonly revisions: readonly { readonly files: Files }[] }>>
  readonly oci?: unknown
  readonly helm?: unknown
  readonly steps: readonly Step[]
}

export type Files = Readonly<Record<string, RecordedFile>>
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

/** The bytes of a file as scenarios write it. */
export const bytesOf = (file: RecordedFile): Buffer => {
  if (typeof file === 'string') return Buffer.from(file)
  if (file.base64 !== undefined) return Buffer.from(file.base64, 'base64')
  const { prefix = '', repeat = '', times = 0, suffix = '' } = file
  return Buffer.from(prefix + repeat.repeat(times) + suffix)
}

export interface Step {
  readonly do: readonly Operation[]
  readonly until: readonly Until[]
  /** Seconds that the recorder waited after that, where a try follows another. */
  readonly quiet?: number
  readonly expect: Expectation
}

/** One verb, and what it is done with. */
export type Operation = Readonly<Record<string, unknown>>

export interface Until {
  readonly ref: string
  readonly ready?: string
  readonly reason?: string
  readonly msg?: string
  readonly rev?: string
  readonly attempted?: string
  /** The request that was handled; true: the last one. */
  readonly handled?: string | true
  readonly stalled?: boolean
  /** Of the newest version of a release: its number and status. */
  readonly version?: number
  readonly hstatus?: string
  readonly cond?: readonly [type: string, status: string]
  readonly event?: string
  readonly during?: string
  readonly deleted?: boolean
  readonly exists?: boolean
  readonly absent?: boolean
  readonly live?: string
  readonly value?: unknown
}

export interface Expectation {
  readonly objects: Readonly<Record<string, unknown>>
  readonly transitions?: Transitions
  readonly optionalTransitions?: Transitions
  readonly events?: readonly RecordedEvent[]
  readonly optionalEvents?: readonly RecordedEvent[]
  readonly live?: Readonly<Record<string, RecordedLive | null>>
  readonly artifactFiles?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly rejected?: readonly Rejection[]
  /** Helm's stored releases: `unchanged`, or what release-storage.ts shows; null where one is gone. */
  readonly storage?: Readonly<Record<string, unknown>>
}

export type Transitions = Readonly<Record<string, readonly (string | readonly string[])[]>>

export interface RecordedEvent {
  readonly object: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly onlyNotified?: boolean
}

export interface RecordedLive {
  readonly identity: 'new' | 'same' | 'recreated'
  readonly written?: boolean
  readonly content: 'unchanged' | '${ANY}' | KubernetesObject
}

export interface Rejection {
  readonly object: string
  readonly code: number
  readonly reason: string | null
  readonly message: string
}

export const scenarioIn = (folder: string): Scenario =>
  parse(readFileSync(join(folder, 'scenario.yaml'), 'utf8')) as Scenario

/** All scenarios below a directory: of one area, or of all areas, each in a folder of its own. */
export const scenariosBelow = (directory: string): Scenario[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(path => basename(path) === 'scenario.yaml' && !path.startsWith('heldout/'))
    .sort()
    .map(path => scenarioIn(join(directory, dirname(path))))
