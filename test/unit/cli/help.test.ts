import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { loadProgram } from '../../../lib/cli/program.ts'

const below = (command: Command): readonly Command[] => command.commands.flatMap(each => [each, ...below(each)])

test('help shows defaults as they would be typed, and none that says nothing', async () => {
  const commands = below(await loadProgram([]))
  let defaults = 0
  for (const command of commands) {
    const help = command.helpInformation().replaceAll(/\s+/g, ' ')
    for (const [told, value = ''] of help.matchAll(/\(default: ([^)]*)\)/g)) {
      defaults++
      assert.doesNotMatch(value, /^(\[.*|\{.*|false|undefined|null|""|)$/, `${command.name()}: ${told}`)
      // Times are durations such as 5m: a bare number of this size would be milliseconds.
      assert.doesNotMatch(value, /^\d+000$/, `${command.name()}: ${told}`)
    }
  }
  assert.ok(defaults > 20, `only ${defaults} defaults were looked at`)
})
