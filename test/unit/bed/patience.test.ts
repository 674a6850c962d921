import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { patienceOf, runnableIn, thisMachine } from '../../bed/patience.ts'

const machineOf = (crowding: number) => {
  const machine = { time: 0, now: () => machine.time, crowding: () => crowding }
  return machine
}

/** How many seconds of the clock ten seconds of patience last, looked at each second. */
const lasts = (crowding: number): number => {
  const machine = machineOf(crowding)
  const patience = patienceOf(10_000, machine)
  while (!patience.isOver()) machine.time += 1000
  return patience.elapsed() / 1000
}

test('patience lasts as long as it says on a quiet machine, and longer the more others want its processors', () => {
  assert.deepEqual([0, 0.5, 1, 4, 10].map(lasts), [10, 10, 10, 40, 100])
})

test('a busy moment stretches itself alone', () => {
  const machine = { ...machineOf(1), busy: 1, time: 0, now: () => machine.time, crowding: () => machine.busy }
  const patience = patienceOf(10_000, machine)
  const pass = (ms: number, busy: number) => {
    Object.assign(machine, { time: machine.time + ms, busy })
    return patience.isOver()
  }
  assert.deepEqual([pass(8000, 1), pass(8000, 8), pass(900, 1), pass(200, 1)], [false, false, false, true])
})

test('knows how many processes share a processor here', () => {
  assert.equal(runnableIn('12.20 8.18 3.12 41/125 11206\n'), 41)
  assert.ok(thisMachine.crowding() >= 0)
})

/** They go on for as long as they were told to, or a clock is what they are about. */
const measures = /^test\/(bench|fuzz|unit|hub\/informer\.test\.ts)/

test('no test has a deadline of its own: what is waited for is a condition, given up by the one rule', () => {
  const root = new URL('../../../', import.meta.url)
  const deadline = /(Date|performance)\.now\(\) *(<|>)|^\s*timeout: [\d_]+,$|\{ timeout: [\d_]+ \}, async/m
  const found = globSync('test/**/*.ts', { cwd: root.pathname })
    .filter(file => !measures.test(file))
    .filter(file => deadline.test(readFileSync(new URL(file, root), 'utf8')))
  assert.deepEqual(found, [])
})
