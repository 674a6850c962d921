import type { EmbeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'

/** Whoever lives no more gets this for an answer, whatever it asks. */
export class Killed extends Error {}

/** A life that ends at its k-th step once it is armed: `before` the step is made, or `after`, before its answer is heard. */
export class Life {
  died = false
  /** What it died at. */
  lastStep = ''
  private left = Number.POSITIVE_INFINITY
  private when: 'before' | 'after' = 'before'

  arm(steps: number, when: 'before' | 'after'): void {
    this.left = steps
    this.when = when
  }

  async step<T>(what: string, call: () => Promise<T>): Promise<T> {
    if (this.died) throw new Killed()
    const isLast = --this.left === 0
    if (isLast) {
      this.died = true
      this.lastStep = what
    }
    if (isLast && this.when === 'before') throw new Killed()
    const result = await call()
    if (this.died) throw new Killed()
    return result
  }
}

/** A platform whose every write to the store is a step of a life. */
export const mortalPlatform = (platform: EmbeddedPlatform, life: Life): EmbeddedPlatform => {
  const { objects, schedule, visits } = platform
  return {
    ...platform,
    objects: {
      ...objects,
      commit: change =>
        life.step(`commit: ${change.op} ${change.ref.kind}/${change.ref.name}`, () => objects.commit(change)),
    },
    schedule: {
      ...schedule,
      setDue: (...args) => life.step(`setDue: ${args[0].kind}`, () => schedule.setDue(...args)),
      claim: (...args) => life.step(`claim: ${args[0].kind}`, () => schedule.claim(...args)),
    },
    visits: { ...visits, write: (...args) => life.step('visit', () => visits.write(...args)) },
  }
}
