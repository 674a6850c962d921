/** Completion scripts for shells. They are static: no process starts when a key is pressed. */
import type { CompletedOption, CompletionNode } from './completion-tree.ts'

type Script = (nodes: readonly CompletionNode[]) => string

/** `case` patterns: the path so far and the next word, with the resulting path. */
const stepsOf = (nodes: readonly CompletionNode[]): readonly (readonly [from: readonly string[], to: string])[] =>
  nodes
    .filter(({ path }) => path !== '')
    .map(({ path, aliases }) => {
      const above = path.includes(' ') ? `${path.slice(0, path.lastIndexOf(' '))} ` : ''
      const name = path.slice(above.length)
      return [[name, ...aliases].map(word => `${above}${word}`), path]
    })

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Follows the words typed so far, in the syntax of bash and zsh. */
const walk = (nodes: readonly CompletionNode[], words: string): string => `  for word in "${words}"; do
    case "\${at:+$at }$word" in
${stepsOf(nodes)
  .map(([from, to]) => `      ${from.map(quoted).join('|')}) at=${quoted(to)} ;;`)
  .join('\n')}
    esac
  done`

const flagsOf = ({ word, short }: CompletedOption): readonly string[] => (short ? [short, word] : [word])

/** A case for each option with a value: how to complete the value. */
const valueCases = (nodes: Parameters<Script>[0], reply: (values: readonly string[]) => string): string =>
  nodes
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(option => {
          const patterns = flagsOf(option).map(flag => quoted(`${path}:${flag}`))
          return `    ${patterns.join('|')}) ${reply(option.values)}; return ;;`
        }),
    )
    .join('\n')

const bash: Script = nodes => `# keelson: completion for bash. Load it by: source <(keelson completion bash)
_keelson() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at='' word words=''
${walk(nodes, '${COMP_WORDS[@]:1:COMP_CWORD-1}')}
  case "$at:$before" in
${valueCases(nodes, values => {
  const reply = values.length > 0 ? `-W ${quoted(values.join(' '))}` : '-f'
  return `COMPREPLY=($(compgen ${reply} -- "$cur"))`
})}
  esac
  case "$at" in
${nodes
  .map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ word }) => word)
    return `    ${quoted(path)}) words=${quoted(words.join(' '))} ;;`
  })
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _keelson keelson
`

const described = (words: readonly { readonly word: string; readonly description: string }[]): string =>
  words.map(({ word, description }) => quoted(`${word}:${description}`)).join(' ')

const zsh: Script = nodes => `#compdef keelson
# keelson: completion for zsh. Load it by: source <(keelson completion zsh)
_keelson() {
  local at='' word before=\${words[CURRENT-1]}
  local -a commands flags
${walk(nodes, '${(@)words[2,CURRENT-1]}')}
  case "$at:$before" in
${valueCases(nodes, values => (values.length > 0 ? `compadd -- ${values.map(quoted).join(' ')}` : '_files'))}
  esac
  case "$at" in
${nodes
  .map(
    ({ path, commands, options }) =>
      `    ${quoted(path)}) commands=(${described(commands)}); flags=(${described(options)}) ;;`,
  )
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option flags
  elif (( \${#commands} )); then _describe command commands
  else _files
  fi
}
if [[ \${funcstack[1]} == _keelson ]]; then _keelson "$@"; else compdef _keelson keelson; fi
`

const fish: Script = nodes => `# keelson: completion for fish. Load it by: keelson completion fish | source
function __keelson_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch (string trim -- "$at $word")
${stepsOf(nodes)
  .map(([from, to]) => `            case ${from.map(quoted).join(' ')}\n                set at ${quoted(to)}`)
  .join('\n')}
        end
    end
    test "$at" = "$argv[1]"
end
complete -c keelson -e
${nodes
  .flatMap(({ path, commands, options }) => {
    const here = `complete -c keelson -n ${quoted(`__keelson_at ${fishQuoted(path)}`)}`
    return [
      ...commands.map(({ word, description }) => `${here} -f -a ${word} -d ${quoted(description)}`),
      ...options.map(option => `${here} ${fishFlags(option)} -d ${quoted(option.description)}`),
    ]
  })
  .join('\n')}
`

const fishQuoted = (text: string): string => `"${text}"`

const fishFlags = ({ word, short, takesValue, values }: CompletedOption): string =>
  [
    `-l ${word.slice(2)}`,
    ...(short ? [`-s ${short.slice(1)}`] : []),
    ...(takesValue ? ['-r'] : []),
    ...(values.length > 0 ? [`-f -a ${quoted(values.join(' '))}`] : []),
  ].join(' ')

export const completionScripts: Readonly<Record<string, Script>> = { bash, zsh, fish }
