import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shownBy } from '../checklist.ts'
import type { ConformanceSuite } from '../suite.ts'

const STATEMENT = /^\s*- \**([A-Z]{2}-\d{3})\b/gm

/** The statements of the pages beside the recorded cases: each is shown by the title of a test, or by a recording that is replayed. */
export const suite: ConformanceSuite = {
  folder: '../checklist',
  tellsProgress: true,
  *cases(directory) {
    const shown = shownBy()
    for (const file of globSync('*.md', { cwd: directory }).sort())
      for (const [, id = ''] of readFileSync(join(directory, file), 'utf8').matchAll(STATEMENT))
        yield () => (shown.has(id) ? { name: id } : { name: id, problem: `  no test shows this statement of ${file}` })
  },
}
