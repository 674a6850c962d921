import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { templateOracle } from './template-oracle.ts'

/** Where the table begins: all before is ASCII. */
const FIRST = 0x80
const END = 0x10000

/** What gosimple/slug makes of each character of the basic plane, between two letters. */
export const transliterations = async (): Promise<string[]> => {
  await using oracle = await templateOracle()
  const characters = Array.from({ length: END - FIRST }, (_, i) => i + FIRST)
  const texts = characters.map(code => (code >= 0xd800 && code < 0xe000 ? 'xx' : `x${String.fromCharCode(code)}x`))
  const { output, error } = await oracle.ask({
    functions: 'resourceset',
    template: '<< range inputs.texts >><< slugify . >>\n<< end >>',
    data: { texts },
  })
  if (output === undefined) throw new Error(error)
  return output
    .trimEnd()
    .split('\n')
    .map(slug => slug.slice(1, -1))
}

/** Generates lib/engines/template/functions/transliterations.ts: node test/bed/transliterations.ts */
const write = async (): Promise<void> => {
  const table = brotliCompressSync((await transliterations()).join('\n')).toString('base64')
  await writeFile(
    join(import.meta.dirname, '../../lib/engines/template/functions/transliterations.ts'),
    `// Made by test/bed/transliterations.ts with github.com/gosimple/slug and the table of github.com/gosimple/unidecode
// (Apache-2.0, Copyright Rainy Cape S.L. and the authors of gosimple/unidecode). Not written by hand.

/** Characters from U+0080 to U+FFFF in ASCII, one line each, as brotli in base64. */
export const transliterations =
  '${table}'
`,
  )
}

if (import.meta.main) await write()
