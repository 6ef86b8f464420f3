// Program reads the values of flags through the OFREP provider for Go.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

type asked struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	// Each item is the name of a flag, the requested type, and the default.
	Questions [][3]any `json:"questions"`
}

type answer struct {
	Value any     `json:"value"`
	Error *string `json:"error"`
}

func main() {
	var all asked
	must(json.NewDecoder(os.Stdin).Decode(&all))
	must(openfeature.SetProviderAndWait(ofrep.NewProvider(all.URL, ofrep.WithBearerToken(all.Token))))
	client := openfeature.NewClient("test")
	answers := []answer{}
	for _, question := range all.Questions {
		answers = append(answers, ask(client, question))
	}
	must(json.NewEncoder(os.Stdout).Encode(answers))
}

func ask(client *openfeature.Client, question [3]any) answer {
	flag := question[0].(string)
	ctx, user := context.Background(), openfeature.NewEvaluationContext("ada", nil)
	switch question[1] {
	case "boolean":
		details, _ := client.BooleanValueDetails(ctx, flag, question[2].(bool), user)
		return said(details.Value, details.ErrorCode)
	case "string":
		details, _ := client.StringValueDetails(ctx, flag, question[2].(string), user)
		return said(details.Value, details.ErrorCode)
	case "integer":
		details, _ := client.IntValueDetails(ctx, flag, int64(question[2].(float64)), user)
		return said(details.Value, details.ErrorCode)
	case "float":
		details, _ := client.FloatValueDetails(ctx, flag, question[2].(float64), user)
		return said(details.Value, details.ErrorCode)
	default:
		details, _ := client.ObjectValueDetails(ctx, flag, question[2], user)
		return said(details.Value, details.ErrorCode)
	}
}

func said(value any, code openfeature.ErrorCode) answer {
	if code == "" {
		return answer{Value: value}
	}
	text := string(code)
	return answer{Value: value, Error: &text}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
