import type { KnownObject } from '../known-object.ts'
import type { Change, Resource } from '../resource.ts'

/** Where a change says what else it looks at. */
export interface Asked {
  /** Something that has an answer. */
  about(question: string): void
  /** Something that has none: the outcome can't be had again without making the change. */
  beyondAnswers(): void
}

/** A change that looks at more than its resource. */
export interface AskingChange {
  make(resource: Resource, asked: Asked): void
  /** Equal as long as what was asked about is the same. */
  answer(question: string): string
}

/** Where a change led to from a point, and the questions and answers on the way. */
interface Outcome {
  readonly to: KnownObject
  readonly answers: ReadonlyMap<string, string> | undefined
}

/** Where the changes of a kustomization led to: by what they do, and from where. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<KnownObject, Outcome>>

/** Makes changes to resources, and spares those that the run before of the same kustomization has made. */
export class StepMemory {
  private readonly before: Outcomes
  private readonly now = new Map<string, Map<KnownObject, Outcome>>()

  constructor(before: Outcomes) {
    this.before = before
  }

  /** What there is to remember of this run. */
  get outcomes(): Outcomes {
    return this.now
  }

  /** A change that is spared where it can be. Changes with equal keys do the same to equal resources. */
  step(key: string, change: Change): Change {
    const { before, now } = this.tables(key)
    return resource => {
      const from = resource.point
      const known = from && before?.get(from)
      if (known) {
        resource.spare(change, known.to)
        now.set(from, known)
      } else {
        change(resource)
        if (from && !resource.isEmpty) now.set(from, { to: resource.settle(), answers: undefined })
      }
    }
  }

  /** The same for a change that asks: it is spared as long as the answers are the same. */
  asking(key: string, { make, answer }: AskingChange): Change {
    const { before, now } = this.tables(key)
    const change: Change = resource => make(resource, { about: () => undefined, beyondAnswers: () => undefined })
    const holds = ({ answers = new Map() }: Outcome): boolean => {
      for (const [question, answered] of answers) if (answer(question) !== answered) return false
      return true
    }
    return resource => {
      const from = resource.point
      const known = from && before?.get(from)
      if (known && holds(known)) {
        resource.spare(change, known.to)
        now.set(from, known)
        return
      }
      const answers = new Map<string, string>()
      let isRepeatable = true
      make(resource, {
        about: question => answers.set(question, answer(question)),
        beyondAnswers() {
          isRepeatable = false
        },
      })
      if (from && isRepeatable && !resource.isEmpty) now.set(from, { to: resource.settle(), answers })
    }
  }

  private tables(key: string) {
    let now = this.now.get(key)
    if (!now) {
      now = new Map()
      this.now.set(key, now)
    }
    return { before: this.before.get(key), now }
  }
}
