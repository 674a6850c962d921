/**
 * Records what a kube-apiserver makes of random sequences of applies, updates and patches of `thing.ts`:
 * `KUBECONFIG=... node test/recorders/merge.ts [scenarios] [seed] [file]`.
 */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { steps } from '../unit/engines/merge/thing.ts'
import { stable } from '../unit/engines/merge/world.ts'
import { kubeApiserver } from './kube-apiserver.ts'
import { thingServer } from './thing-server.ts'

const ownFile = new URL('../unit/engines/merge/scenarios.recorded.json', import.meta.url)
const [count = '120', seed = '7', file = ownFile] = process.argv.slice(2)
const ask = kubeApiserver()
const server = await thingServer(ask)

const scenarios = []
for (const [index, sequence] of fc.sample(steps, { numRuns: Number(count), seed: Number(seed) }).entries()) {
  const name = `thing-${index}`
  const answers = []
  for (const step of sequence) {
    const { code, body } = await server.perform(step, name)
    const { message, details } = body
    answers.push({ step, code, ...(code < 400 ? { object: stable(body) } : { message, causes: details?.causes }) })
  }
  scenarios.push(answers)
  await server.remove(name)
}
writeFileSync(file, `[\n${scenarios.map(scenario => JSON.stringify(scenario)).join(',\n')}\n]\n`)
await ask.close()
