import { test } from 'node:test'
import { fuzzWebhooks } from '../../../fuzz/webhooks.ts'

test('nothing that an unauthenticated client can send is let in, or costs a reconcile (a slice of `npm run fuzz -- webhooks`)', async () => {
  await fuzzWebhooks(20261121, 15)
})
