import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  annotationOf,
  initialProgress,
  isBegunBy,
  readAnnotation,
  resultOf,
} from '../../../../lib/clusters/helm-release/progress.ts'

const begun = initialProgress('upgrade', { token: 't', inputs: '2' }, 1_000)

test('HR-133 the progress of an action is read as it was written, even if the version has changed since', () => {
  const further = { ...begun, step: 'wait', stepStartedAt: 2_000, from: 1 } as const
  assert.deepEqual(readAnnotation(annotationOf(further, 'sha256:a'), 'sha256:a'), { progress: further })
  assert.deepEqual(readAnnotation(annotationOf(further, 'sha256:a'), 'sha256:b'), { progress: further })
})

test('HR-133 how an action has ended counts for the version that it has left, and for no other', () => {
  const ended = resultOf(begun, 'it failed')
  assert.deepEqual(ended, {
    ...{ action: 'upgrade', token: 't', inputs: '2', startedAt: 1_000 },
    ...{ hasEnded: true, failure: 'it failed' },
  })
  assert.deepEqual(readAnnotation(annotationOf(ended, 'sha256:a'), 'sha256:a'), { ended })
  assert.deepEqual(readAnnotation(annotationOf(ended, 'sha256:a'), 'sha256:b'), {})
})

test('ignores annotations of others', () => {
  for (const text of [undefined, '', '{', '[]', '"x"', '{"action":1}', '{"action":"install"}'])
    assert.deepEqual(readAnnotation(text, ''), {})
})

test('HR-156 an action is continued by the HelmRelease that began it, while its version is pending', () => {
  const info = { status: 'pending-upgrade' } as const
  const stored = { release: { name: 'app', version: 2, info }, progress: begun }
  assert.equal(isBegunBy(stored, 'upgrade', { token: 't' }), true)
  assert.equal(isBegunBy(stored, 'upgrade', { token: 'other' }), false)
  assert.equal(isBegunBy(stored, 'rollback', { token: 't' }), false)
  assert.equal(isBegunBy({ ...stored, progress: undefined }, 'upgrade', { token: 't' }), false)
  const failed = { ...stored.release, info: { status: 'failed' } as const }
  assert.equal(isBegunBy({ ...stored, release: failed }, 'upgrade', { token: 't' }), false)
})
