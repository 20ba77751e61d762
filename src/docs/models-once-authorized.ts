/** What Swagger UI hands to a plugin, as far as it is used here. */
interface SwaggerUiSystem {
  readonly specActions: { readonly updateJsonSpec: (document: unknown) => void };
}

/** Credentials by the name of their security scheme. */
type Credentials = Readonly<Record<string, { readonly value: string }>>;

type AuthAction<T> = (payload: T) => unknown;

/**
 * A plugin of Swagger UI. Which models there are is told to those who may use them, and a browser that opens the page
 * shows no credential: once one is given on the page, the description is fetched again with it.
 *
 * The functions are written into the page's script as they stand, so each must do without anything from outside of it.
 */
export const MODELS_ONCE_AUTHORIZED = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize:
          (original: AuthAction<Credentials>, { specActions }: SwaggerUiSystem): AuthAction<Credentials> =>
          (credentials) => {
            const headers: Record<string, string> = {};
            const { token, key } = credentials;
            if (token !== undefined) headers['authorization'] = `Bearer ${token.value}`;
            if (key !== undefined) headers['x-api-key'] = key.value;
            void fetch('openapi.json', { headers })
              .then((response) => response.json())
              .then((document) => specActions.updateJsonSpec(document));
            return original(credentials);
          },
      },
    },
  },
};
