import { join } from 'node:path'
import { answersOf } from './line-oracle.ts'

/** A number to write, `single` when it is kept in 32 bits. */
export interface FloatQuestion {
  /** As JavaScript writes it: not all numbers can be had in JSON. */
  readonly float: string
  readonly verb: 'b' | 'e' | 'f' | 'g' | 'x'
  /** As many digits as it takes when -1. */
  readonly precision: number
  readonly single?: true
}

/** A text: it is quoted, quoted in ASCII, trimmed, and trimmed at its left. */
export interface TextQuestion {
  readonly text: string
}

/** A character by its number: it is quoted, quoted in ASCII, and described. */
export interface RuneQuestion {
  readonly rune: number
}

/** A duration: its nanoseconds and how it is written, or what is wrong with it. */
export interface DurationQuestion {
  readonly duration: string
}

/** A text: the number and the boolean that it is, each `''` when it is none. */
export interface ParseQuestion {
  readonly parse: string
}

export type GoQuestion = FloatQuestion | TextQuestion | RuneQuestion | DurationQuestion | ParseQuestion

/** How Go itself writes them. */
export const askGoOracle = (questions: readonly GoQuestion[]): Promise<readonly (readonly string[])[]> =>
  answersOf(
    {
      name: 'go-oracle',
      source: join(import.meta.dirname, 'go-oracle'),
      ldflags: '-s -w',
      takes: 'some seconds',
    },
    questions,
  )
