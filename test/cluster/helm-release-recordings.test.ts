import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { openStories } from '../conformance/flux/open-stories.ts'
import { resultOf } from '../conformance/flux/result.ts'
import { scenariosBelow } from '../conformance/flux/scenario.ts'

/**
 * A slice of what was recorded of helm-controller; `npm run conformance -- helmrelease` replays all. Another seed takes another slice:
 * `KEELSON_SEED=7 npm test -- test/cluster/helm-release-recordings.test.ts`.
 */
const seed = process.env.KEELSON_SEED ?? '1'
const count = 8

/** A thin slice of each kind of story, whatever the seed. */
const always = ['rel-upgrade-values', 'rel-values-from', 'rel-delete', 'rel-oci']

const rank = (id: string): string => createHash('sha256').update(`${seed} ${id}`).digest('hex')

const corpus = needsCorpus('helmrelease')
if (corpus.skip) test('does as helm-controller', corpus, () => {})
else {
  const beds = endWithTest(await startBeds())
  const stories = scenariosBelow(corpusFile('helmrelease'))
  const drawn = stories.filter(({ id }) => !(id in openStories)).sort((a, b) => (rank(a.id) < rank(b.id) ? -1 : 1))
  const chosen = new Set([...stories.filter(({ id }) => always.includes(id)), ...drawn.slice(0, count)])
  describe(`does as helm-controller, seed ${seed}`, { concurrency: 4 }, () => {
    for (const story of chosen)
      test(`${story.id}: ${story.title} (${story.checklist?.join(', ')})`, async () => {
        const { problem } = await resultOf(story, beds)
        assert.equal(problem, undefined)
      })
  })
}
