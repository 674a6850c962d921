import { Agent, fetch } from 'undici'

/**
 * Somebody at a browser: opens an address, fills in the forms that come, presses their buttons, and stops at the first page without a form.
 * Returns its text. Follows redirects, also to http on loopback, and keeps cookies.
 */
export const browse = async (
  address: string,
  answers: Readonly<Record<string, string>>,
  ca: string,
): Promise<string> => {
  const agent = new Agent({ connect: { ca } })
  const cookies = new Map<string, string>()
  try {
    let page = await open(new URL(address), { agent, cookies })
    for (let forms = 0; forms < 10; forms++) {
      const form = formIn(page.text)
      if (!form) return page.text
      page = await open(new URL(form.action, page.url), {
        agent,
        cookies,
        fields: { ...form.fields, ...answersFor(form, answers) },
      })
    }
    throw new Error(`there is no end of forms: ${page.text}`)
  } finally {
    await agent.close()
  }
}

interface Opening {
  readonly agent: Agent
  readonly cookies: Map<string, string>
  /** Sent by POST. */
  readonly fields?: Readonly<Record<string, string>>
}

interface Page {
  readonly url: URL
  readonly text: string
}

const open = async (url: URL, { agent, cookies, fields }: Opening, redirects = 0): Promise<Page> => {
  if (redirects > 20) throw new Error(`there is no end of redirects: ${url}`)
  const response = await fetch(url, {
    dispatcher: agent,
    redirect: 'manual',
    headers: { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') },
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value) cookies.set(name, value)
    else cookies.delete(name)
  }
  const location = response.headers.get('location')
  const text = await response.text()
  if (location) return open(new URL(location, url), { agent, cookies }, redirects + 1)
  if (response.status >= 400)
    throw new Error(`${url} answers ${response.status}: ${text.replace(/<style[\s\S]*?<\/style>/g, '')}`)
  return { url, text }
}

interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

const formIn = (html: string): Form | undefined => {
  const [, attributes, content = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(html) ?? []
  if (attributes === undefined) return undefined
  const fields = Array.from(content.matchAll(/<input([^>]*)>/g), ([, input = '']) => [
    attribute(input, 'name'),
    attribute(input, 'value'),
  ])
  return { action: attribute(attributes, 'action'), fields: Object.fromEntries(fields.filter(([name]) => name)) }
}

const answersFor = ({ fields }: Form, answers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(answers).filter(([name]) => name in fields))

const attribute = (tag: string, name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
