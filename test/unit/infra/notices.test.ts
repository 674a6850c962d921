import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readContext } from '../../../infra/context.ts'
import { noticesFor } from '../../../infra/notices.ts'
import { everything } from './templates.ts'

const noticesOf = (context: Record<string, string>) => noticesFor(readContext(context))

test('each cdk command says that addresses go with the stack, as long as the hub has no domain name', () => {
  assert.match(
    noticesOf({}).join('\n'),
    /^The URLs of the hub keelson belong to its stack: .*kubeconfigs and webhooks need new URLs/,
  )
  assert.deepEqual(noticesOf(everything), [])
})

test('a deployment for an account with a low quota says what will not work', () => {
  assert.equal(noticesOf({}).length, 1)
  const [, notice] = noticesOf({ urlConcurrency: '0', stageConcurrency: 'source=2,build=2,apply=2' })
  assert.match(notice!, /quota of 10 .* watches .* block reconciles, and a flood of requests blocks everything/)
})
