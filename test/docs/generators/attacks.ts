import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attackClasses } from '../../attack/classes/all.ts'
import { type Generator, withPart } from '../generator.ts'

const path = 'docs/security.md'

/** The table of docs/security.md: what `npm run attack` tries, and the rule that holds. */
export const attacks: Generator = {
  name: 'attacks',
  make: root => ({ [path]: withPart(readFileSync(join(root, path), 'utf8'), 'attacks', table()) }),
}

const table = (): string =>
  [
    '| class | rule | attempts |',
    '| --- | --- | --- |',
    ...attackClasses.map(({ name, rule, attempts }) => `| \`${name}\` | ${rule} | ${attempts.length} |`),
    `| | | ${attackClasses.reduce((sum, { attempts }) => sum + attempts.length, 0)} |`,
  ].join('\n')
