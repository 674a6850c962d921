import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].sort()
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')
const prose = (page: string): string => textOf(page).replaceAll(/^```[\s\S]*?^```$/gm, '')
/** Brackets and parentheses of code are no links. */
const withoutCode = (page: string): string => prose(page).replaceAll(/`[^`\n]*`/g, '')

test('links between pages lead to a file, and to a heading of it', () => {
  const broken = pages.flatMap(page =>
    [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter(link => !/^[a-z]+:/.test(link))
      .filter(link => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : join(dirname(page), path)
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && !anchorsOf(target).includes(anchor)
      })
      .map(link => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

const anchorsOf = (page: string): string[] =>
  [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** A bare name of a test stands beside the path before it: `test/hub/users.test.ts`, `tenancy.test.ts`. */
test('paths of the project that pages name are there', () => {
  const missing = pages.flatMap(page => {
    let folder = ''
    return [...prose(page).matchAll(/`((?:test|lib|infra|functions|events|docs)\/[\w./-]+|[\w-]+\.test\.ts)`/g)]
      .map(([, path = '']) => {
        const full = path.includes('/') ? path : join(folder, path)
        folder = dirname(full)
        return full
      })
      .filter(path => !existsSync(join(root, path)))
      .map(path => `${page}: ${path}`)
  })
  assert.deepEqual(missing, [])
})

test('no page holds what a merge has left open', () => {
  assert.deepEqual(
    pages.filter(page => /^(<{7}|>{7}|={7}$)/m.test(textOf(page))),
    [],
  )
})
