import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { loadProgram } from '../../../lib/cli/program.ts'

const below = (command: Command): readonly Command[] => command.commands.flatMap(each => [each, ...below(each)])

test('help shows defaults as they would be typed, and none that says nothing', async () => {
  let [defaults, durations] = [0, 0]
  for (const command of below(await loadProgram([]))) {
    const help = command.createHelp()
    for (const option of command.options) {
      const [, value] = /\(default: (.*?)(?:, env: .*)?\)$/.exec(help.optionDescription(option)) ?? []
      if (value === undefined) continue
      const where = `${command.name()} ${option.flags}: ${value}`
      defaults++
      assert.doesNotMatch(value, /^(\[.*|\{.*|false|undefined|null|""|)$/, where)
      if (!option.flags.includes('<duration>')) continue
      durations++
      assert.match(value, /^((\d+(ms|s|m|h))+|0)$/, where)
    }
  }
  assert.ok(defaults > 20 && durations > 5, `${defaults} defaults were looked at, ${durations} of them durations`)
})
