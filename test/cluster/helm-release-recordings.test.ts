import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { openStories } from '../conformance/flux/open-stories.ts'
import { resultOf } from '../conformance/flux/result.ts'
import { type Scenario, scenariosBelow } from '../conformance/flux/scenario.ts'
import { releasesRecordedHere } from './recorded.ts'

/**
 * A slice of what was recorded of helm-controller, here and in the corpus; `npm run conformance -- helmrelease` replays all of the corpus,
 * and `npm run conformance -- helmrelease test/cluster/recorded` what is kept here. Another seed takes another slice:
 * `KEELSON_SEED=7 npm test -- test/cluster/helm-release-recordings.test.ts`.
 */
const seed = process.env.KEELSON_SEED ?? '1'
const count = 8

/** A thin slice of each kind of story, whatever the seed. */
const always = ['rel-upgrade-values', 'rel-values-from', 'rel-delete', 'rel-oci']

const rank = (id: string): string => createHash('sha256').update(`${seed} ${id}`).digest('hex')

const does = (title: string, stories: readonly Scenario[]): void => {
  describe(`does as helm-controller: ${title}, seed ${seed}`, { concurrency: 4 }, () => {
    for (const story of stories)
      test(`${story.id}: ${story.title} (${story.checklist?.join(', ')})`, async () => {
        const { problem } = await resultOf(story, beds)
        assert.equal(problem, undefined)
      })
  })
}

const beds = endWithTest(await startBeds())
const byRank = (stories: readonly Scenario[]) => stories.toSorted((a, b) => (rank(a.id) < rank(b.id) ? -1 : 1))

does('recorded here', byRank(releasesRecordedHere().filter(({ id }) => !(id in openStories))).slice(0, count))

const corpus = needsCorpus('helmrelease')
if (corpus.skip) test('does as helm-controller', corpus, () => {})
else {
  const stories = scenariosBelow(corpusFile('helmrelease'))
  const drawn = byRank(stories.filter(({ id }) => !(id in openStories)))
  does('the corpus', [...new Set([...stories.filter(({ id }) => always.includes(id)), ...drawn.slice(0, count)])])
}
