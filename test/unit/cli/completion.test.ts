import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { completionScripts } from '../../../lib/cli/completion-scripts.ts'
import { completionTree } from '../../../lib/cli/completion-tree.ts'
import { loadProgram } from '../../../lib/cli/program.ts'

const nodes = completionTree(await loadProgram([]))
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const only = (shell: string) => (has(shell) ? {} : { skip: `there is no ${shell} on this machine` })

const run = (shell: string, script: string): readonly string[] => {
  const { stdout, stderr, status } = spawnSync(shell, ['-c', script], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.split('\n').filter(line => line !== '')
}

/** What stands behind the last of the words when the key is pressed. */
const shells: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash: words =>
    run(
      'bash',
      `${completionScripts.bash!(nodes)}
COMP_WORDS=(keelson ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_keelson; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ),
  fish: words => {
    const line = ['keelson', ...words].join(' ')
    return run('fish', `${completionScripts.fish!(nodes)}\ncomplete -C'${line}'`).map(each => each.split('\t')[0]!)
  },
}

for (const [shell, complete] of Object.entries(shells))
  test(`completes commands, options and values in ${shell}`, only(shell), () => {
    assert.deepEqual(complete(['env']), ['envsubst'])
    const built = complete(['build', '']).filter(word => !word.startsWith('-'))
    assert.deepEqual(built.sort(), ['artifactgenerator', 'helmrelease', 'kustomization', 'resourceset'])
    assert.ok(complete(['build', 'kustomization', '--']).includes('--kustomization-file'))
    assert.ok(complete(['build', 'ks', '--local']).includes('--local-sources'))
    assert.deepEqual([...complete(['tree', 'ks', '--output', ''])].sort(), ['json', 'tree', 'yaml'])
    assert.deepEqual(complete(['completion', 'z']), ['zsh'])
    assert.ok(!complete(['--']).includes('--local-sources'))
  })

test('the script for zsh is one that zsh can read', only('zsh'), () => {
  const { stderr, status } = spawnSync('zsh', ['-n'], { input: completionScripts.zsh!(nodes), encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})

test('every command and every option that help shows is in each script', () => {
  for (const script of Object.values(completionScripts)) {
    const text = script(nodes)
    for (const { commands, options } of nodes)
      for (const { word } of [...commands, ...options]) assert.ok(text.includes(word.replace(/^--/, '')), word)
  }
})

test('what descriptions say can not end a text of the script', () => {
  const [node] = nodes
  const odd = [{ ...node!, commands: [{ word: 'x', description: "it's $(touch /tmp/no) `no`" }] }]
  const script = completionScripts.zsh!(odd)
  assert.ok(script.includes("'x:it'\\''s $(touch /tmp/no) `no`'"))
})
