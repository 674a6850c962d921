/** The hub beside a real kube-apiserver with Flux's CRDs: the same requests, the same answers. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { patienceOf } from '../bed/patience.ts'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { asking, differences, normalised } from './answers.ts'
import { objectConversation } from './conversation.ts'
import { costConversation } from './conversation-costs.ts'
import { definitionConversation } from './conversation-definitions.ts'
import { patchConversation } from './conversation-patches.ts'
import { roleConversation } from './conversation-roles.ts'
import { wrongTypeConversation } from './conversation-wrong-types.ts'
import type { Exchange } from './exchange.ts'
import { intendedDifferences } from './intended-differences.ts'
import { servedHub } from './served-hub.ts'

const crds = corpusFile('crds')
const conversation = [
  ...objectConversation,
  ...roleConversation,
  ...definitionConversation,
  ...costConversation,
  ...patchConversation,
  ...wrongTypeConversation,
]

/** A real API server hears of roles a moment after they were written; what it refuses meanwhile has changed nothing. */
const onceRolesAreKnown = async (server: ReturnType<typeof asking>, exchange: Exchange) => {
  const patience = patienceOf(5_000)
  for (;;) {
    const answer = await server.ask(exchange)
    if (answer.status !== 403 || patience.isOver()) return answer
    await sleep(100)
  }
}

test(`responds to ${conversation.length} requests as a real API server does`, needsCorpus('crds'), async () => {
  const real = await cluster()
  await real.apply(
    readdirSync(crds)
      .map(file => readFileSync(join(crds, file), 'utf8'))
      .join('\n---\n'),
  )
  const [theirs, ours] = [asking(real.kubeconfig), asking((await servedHub()).kubeconfig)]
  const namespace = {
    method: 'POST',
    path: '/api/v1/namespaces?fieldManager=test',
    body: { metadata: { name: 'side' } },
  }
  await Promise.all([theirs.ask(namespace), ours.ask(namespace)])
  await eventually(async () => {
    for (const group of ['kustomize', 'source', 'notification']) {
      const { status } = await theirs.ask({ method: 'GET', path: `/apis/${group}.toolkit.fluxcd.io/v1` })
      assert.equal(status, 200)
    }
  })
  const unintended: string[] = []
  const seen = new Set<string>()
  for (const exchange of conversation) {
    const [first, our] = await Promise.all([theirs.ask(exchange), ours.ask(exchange)])
    const their = first.status === 403 && our.status !== 403 ? await onceRolesAreKnown(theirs, exchange) : first
    for (const difference of differences(normalised(their), normalised(our))) {
      const intended = intendedDifferences.find(
        ({ title, part }) => title.test(exchange.title) && part.test(difference),
      )
      if (intended) seen.add(intended.why)
      else unintended.push(`${exchange.title}: ${difference}`)
    }
  }
  await Promise.all([theirs.close(), ours.close()])
  assert.deepEqual(unintended, [])
  assert.deepEqual(
    intendedDifferences.filter(({ why }) => !seen.has(why)).map(({ why }) => why),
    [],
    'these intended differences are none any more',
  )
})
