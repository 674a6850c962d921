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
import { type Answer, asking, differences, normalised } from './answers.ts'
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

/**
 * What a real API server responds once it agrees, or after some seconds: it hears of roles and of definitions a moment after they were
 * written. Only what has changed nothing is asked again: reads, and what was refused for want of rights.
 */
const onceAgreed = async (
  server: ReturnType<typeof asking>,
  exchange: Exchange,
  agrees: (answer: Answer) => boolean,
): Promise<Answer> => {
  const patience = patienceOf(5_000)
  for (;;) {
    const answer = await server.ask(exchange)
    const isRepeatable = exchange.method === 'GET' || answer.status === 403
    if (agrees(answer) || !isRepeatable || patience.isOver()) return answer
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
    const our = await ours.ask(exchange)
    const intentionOf = (difference: string) =>
      intendedDifferences.find(({ title, part }) => title.test(exchange.title) && part.test(difference))
    const differencesOf = (their: Answer) => differences(normalised(their), normalised(our))
    const their = await onceAgreed(theirs, exchange, answer => differencesOf(answer).every(intentionOf))
    for (const difference of differencesOf(their)) {
      const intended = intentionOf(difference)
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
