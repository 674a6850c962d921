/** Documents with comments, and what kustomize's own merge makes of them: `node test/recorders/kustomize-merges.ts` records it anew. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { KustomizeError } from '../../../../lib/engines/kustomize/kustomize-error.ts'
import { strategicMerge } from '../../../../lib/engines/kustomize/merge/strategic-merge.ts'
import { threeWayMerge } from '../../../../lib/engines/kustomize/merge/three-way-merge.ts'
import { BuildSchema } from '../../../../lib/engines/kustomize/schema/build-schema.ts'
import { emitNode } from '../../../../lib/engines/yaml/emit-node.ts'
import { parseWithComments } from '../../../../lib/engines/yaml/parse-with-comments.ts'
import type { KustomizeAnswer, KustomizeMerge } from '../../../bed/kustomize-oracle.ts'
import { merges, randomMerges } from './merges.ts'
import { answerDigest } from './random-trees.ts'

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'merges.recorded.json'), 'utf8')) as Readonly<
  Record<string, readonly KustomizeAnswer[]>
>
const schema = new BuildSchema()

const parsed = (text = '') => parseWithComments(text)?.root

const merged = ({ dest, patch, original, update, inferKeys = false, prepend }: KustomizeMerge) =>
  update === undefined
    ? strategicMerge(parsed(patch)!, parsed(dest)!, {
        schema,
        newElements: prepend ? 'prepend' : 'append',
        inferKeys,
      })
    : threeWayMerge(parsed(dest)!, parsed(original), parsed(update), { schema, inferKeys })

const ours = (merge: KustomizeMerge): KustomizeAnswer => {
  try {
    const root = merged(merge)
    const document = parseWithComments(merge.dest)
    return { output: root ? emitNode(root, document && { head: document.head, foot: document.foot }) : '' }
  } catch (error) {
    assert.ok(error instanceof KustomizeError, String((error as Error).stack))
    return { error: error.message }
  }
}

for (const [title, group] of Object.entries(merges))
  test(title, () => {
    assert.equal(recorded[title]?.length, group.length, 'record them anew')
    for (const [i, merge] of group.entries())
      assert.deepEqual(ours(merge), recorded[title][i], JSON.stringify(merge, null, 1))
  })

test('random documents are merged as kustomize merges them', () => {
  for (const [i, merge] of randomMerges().entries())
    assert.equal(answerDigest(ours(merge)), recorded.random![i], JSON.stringify(merge, null, 1))
})
