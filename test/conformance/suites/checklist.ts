import { checklistPages, provenBy } from '../checklist.ts'
import type { ConformanceSuite } from '../suite.ts'

/**
 * Every numbered statement of the checklist has a test whose title carries the number, or a recorded scenario that is
 * replayed and comes out as recorded. Passed = covered.
 */
export const suite: ConformanceSuite = {
  folder: '../checklist',
  slow: true,
  *cases(directory) {
    const proven = provenBy()
    for (const { items } of checklistPages(directory))
      for (const { number, statement } of items)
        yield () => ({ name: `${number} ${statement}`, ...(!proven.has(number) && { problem: '  no test' }) })
  },
}
