import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { loadProgram } from '../../../lib/cli/program.ts'

/** What the program prints to standard error when it refuses these arguments; it fails if they are accepted. */
const refusalOf = async (...args: readonly string[]): Promise<string> => {
  let told = ''
  const program = await loadProgram(args)
  for (const command of [program, ...below(program)])
    command.exitOverride().configureOutput({
      writeErr: text => {
        told += text
      },
    })
  await assert.rejects(program.parseAsync(args, { from: 'user' }), { exitCode: 1 })
  return told
}

const below = (command: Command): readonly Command[] => command.commands.flatMap(each => [each, ...below(each)])

/** The words that lead to a command: `build`, `kustomization`. */
const wordsOf = (command: Command): readonly string[] =>
  command.parent ? [...wordsOf(command.parent), command.name()] : []

const lacksOneLetter = (word: string): string => word.slice(0, -2) + word.slice(-1)

const nearest = (told: string): readonly string[] =>
  /\(Did you mean (?:one of )?(.+)\?\)/.exec(told)?.[1]?.split(', ') ?? []

test('an unknown flag is refused with the flag that is nearest to it, for each flag of each command', async () => {
  const commands = below(await loadProgram([]))
  let flags = 0
  for (const command of commands) {
    const known = new Set(command.options.map(({ long }) => long))
    for (const { long, hidden } of command.options) {
      const misspelt = long && lacksOneLetter(long)
      if (!misspelt || hidden || known.has(misspelt)) continue
      flags++
      const told = await refusalOf(...wordsOf(command), misspelt)
      assert.match(told, new RegExp(`^error: unknown option '${misspelt}'\n`))
      assert.ok(nearest(told).includes(long), `${wordsOf(command).join(' ')} ${misspelt}: ${told}`)
    }
  }
  assert.ok(flags > 100, `only ${flags} flags were tried`)
})

test('an unknown command is refused with the command that is nearest to it', async () => {
  for (const command of below(await loadProgram([]))) {
    const words = wordsOf(command)
    const misspelt = lacksOneLetter(words.at(-1)!)
    const told = await refusalOf(...words.slice(0, -1), misspelt)
    assert.ok(nearest(told).includes(words.at(-1)!), `${misspelt}: ${told}`)
  }
})

test('nothing is suggested for a flag that resembles none', async () => {
  const told = await refusalOf('build', 'kustomization', '--zzzzzz')
  assert.match(told, /^error: unknown option '--zzzzzz'\n/)
  assert.deepEqual(nearest(told), [])
})
