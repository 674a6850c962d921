import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { flowchartSvg } from './flowchart.ts'
import { sitePage, sitePath } from './pages.ts'
import { sidebar } from './sidebar.ts'

export interface SiteOptions {
  /** The project's root. */
  readonly root: string
  /** The folder to write the site to; it is replaced. */
  readonly out: string
  /** The path below which a server will serve it, with slashes on both ends: `/`, `/v1.2.3/`. */
  readonly base: string
  /** The version that the pages describe. */
  readonly version: string
  /** Where the generator is installed, once for each lock file. */
  readonly cache: string
}

/**
 * Builds the documentation as a static site. Fails if a page links to a page that does not exist, if a page is missing in the
 * sidebar, or if npm can't install the generator.
 */
export const buildSite = (options: SiteOptions): void => {
  const generator = installed(options.cache)
  const work = mkdtempSync(join(generator, 'pages-'))
  try {
    writePages(options.root, work)
    mkdirSync(join(work, '.vitepress'))
    writeFileSync(join(work, '.vitepress/config.mjs'), configModule(configOf(options, work)))
    const program = join(generator, 'node_modules/vitepress/bin/vitepress.js')
    execFileSync(process.execPath, [program, 'build', work], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
    rmSync(options.out, { recursive: true, force: true })
    cpSync(join(work, '.vitepress/dist'), options.out, { recursive: true })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The folder with the generator that the lock file names. */
const installed = (cache: string): string => {
  const lock = readFileSync(join(import.meta.dirname, 'package-lock.json'))
  const folder = join(cache, 'site', createHash('sha256').update(lock).digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder
  mkdirSync(dirname(folder), { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(import.meta.dirname, name), join(unfinished, name))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: unfinished, stdio: 'inherit' })
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

const writePages = (root: string, work: string): void => {
  const files = new Set(['README.md', ...globSync('docs/**/*.{md,svg,png}', { cwd: root })])
  for (const file of files) {
    const to = join(work, sitePath(file)!)
    mkdirSync(dirname(to), { recursive: true })
    if (!file.endsWith('.md')) {
      copyFileSync(join(root, file), to)
      continue
    }
    const pictures: string[] = []
    const text = sitePage(file, readFileSync(join(root, file), 'utf8'), files, flowchart => {
      const name = `${basename(to, '.md')}-${pictures.push(flowchart)}.svg`
      writeFileSync(join(dirname(to), name), flowchartSvg(flowchart))
      return name
    })
    writeFileSync(to, text)
  }
}

/** The configuration as a module. Nothing in a page is HTML, or an expression of Vue's templates. */
const configModule = (config: object): string => `const markdown = {
  html: false,
  config({ renderer: { rules } }) {
    for (const name of ['text', 'code_inline']) {
      const rule = rules[name]
      rules[name] = (...args) => rule(...args).replaceAll('{{', '&#123;&#123;')
    }
  },
}
export default { ...${JSON.stringify(config)}, markdown }
`

const configOf = ({ base, version }: SiteOptions, work: string) => ({
  title: 'Keelson',
  description: 'GitOps for many Kubernetes clusters, without a management cluster',
  base,
  lang: 'en',
  cleanUrls: false,
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [{ text: version, link: '/CHANGELOG' }],
    sidebar: [...sidebar, { title: 'Decisions', pages: decisionsOf(work), collapsed: true }].map(
      ({ title, pages, ...rest }) => ({
        text: title,
        items: pages.map(page => ({ text: titleOf(join(work, `${page}.md`)), link: `/${page}` })),
        ...rest,
      }),
    ),
  },
})

const decisionsOf = (work: string): readonly string[] =>
  globSync('decisions/*.md', { cwd: work })
    .map(path => path.replace(/\.md$/, ''))
    .sort()

const titleOf = (path: string): string => {
  const [, title] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? []
  if (!title) throw new Error(`${path} has no title`)
  return title
}
