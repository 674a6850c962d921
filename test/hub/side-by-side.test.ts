/** The hub beside a real kube-apiserver with Flux's CRDs: the same requests, the same answers. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { asking, differences, normalised } from './answers.ts'
import { objectConversation } from './conversation.ts'
import { costConversation } from './conversation-costs.ts'
import { definitionConversation } from './conversation-definitions.ts'
import { patchConversation } from './conversation-patches.ts'
import { roleConversation } from './conversation-roles.ts'
import { intendedDifferences } from './intended-differences.ts'
import { servedHub } from './served-hub.ts'

const crds = corpusFile('crds')
const conversation = [
  ...objectConversation,
  ...roleConversation,
  ...definitionConversation,
  ...costConversation,
  ...patchConversation,
]

test(
  `gives ${conversation.length} requests the answers that a real API server gives`,
  needsCorpus('crds'),
  async () => {
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
      const answers = await Promise.all([theirs.ask(exchange), ours.ask(exchange)])
      const [their, our] = answers.map(answer => normalised(answer))
      for (const difference of differences(their, our)) {
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
  },
)
