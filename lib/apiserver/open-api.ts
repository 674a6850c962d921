import type { KindRegistry } from '../kinds/all.ts'

export const openApi = async (_request: Request, _url: URL, _kinds: KindRegistry): Promise<Response | undefined> =>
  undefined
